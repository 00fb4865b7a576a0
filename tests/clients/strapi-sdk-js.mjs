// strapi-sdk-js: REST, users, files.

import assert from "node:assert/strict";
import FormData from "form-data";
import Strapi from "strapi-sdk-js";
import { BASE, NAME, PASSWORD, PIXEL, TOKEN } from "./site.mjs";

const anybody = new Strapi({ url: BASE });
const editor = new Strapi({ url: BASE, axiosOptions: { headers: { Authorization: `Bearer ${TOKEN}` } } });

// Reading
const page = await anybody.find("articles", {
  filters: { author: { name: { $notNull: true } }, featured: { $eq: true } },
  sort: ["title:asc"],
  fields: ["title", "slug"],
  populate: { author: { fields: ["name"] }, tags: true },
  pagination: { page: 1, pageSize: 2 },
});
assert.equal(page.data.length, 2);
assert.equal(page.meta.pagination.pageSize, 2);
assert.ok(page.data[0].attributes.title < page.data[1].attributes.title);
assert.ok(page.data[0].attributes.author.data.attributes.name);
assert.ok(Array.isArray(page.data[0].attributes.tags.data));
const one = await anybody.findOne("articles", page.data[0].id, { populate: "*" });
assert.equal(one.data.attributes.slug, page.data[0].attributes.slug);
await assert.rejects(anybody.findOne("articles", 999999), (error) => error.error.status === 404);
await assert.rejects(anybody.find("articles", { filters: { nmae: "x" } }), (error) => error.error.status === 400);

// Writing
const made = await editor.create("tags", { name: NAME, slug: NAME });
assert.equal(made.data.attributes.name, NAME);
const changed = await editor.update("tags", made.data.id, { name: `${NAME}!` }, { fields: ["name"] });
assert.deepEqual(changed.data.attributes, { name: `${NAME}!` });
await assert.rejects(anybody.create("tags", { name: "x", slug: "x" }), (error) => error.error.status === 403);
await editor.delete("tags", made.data.id);
await assert.rejects(editor.findOne("tags", made.data.id), (error) => error.error.name === "NotFoundError");

// Users
const person = { username: NAME, email: `${NAME}@example.org`, password: PASSWORD };
const registered = await anybody.register(person);
assert.equal(registered.user.username, NAME);
anybody.logout();
await assert.rejects(anybody.login({ identifier: NAME, password: "wrong" }), (error) => error.error.status === 400);
const session = await anybody.login({ identifier: person.email, password: PASSWORD });
anybody.setToken(session.jwt);
assert.equal((await anybody.fetchUser()).email, person.email);
const next = await anybody.changePassword({
  currentPassword: PASSWORD,
  password: `${PASSWORD}-2`,
  passwordConfirmation: `${PASSWORD}-2`,
});
assert.ok(next.jwt);
anybody.logout();

// Files
const form = new FormData(); // what its axios understands outside of browsers
form.append("files", PIXEL, { filename: "sdk.png", contentType: "image/png" });
form.append("fileInfo", JSON.stringify({ alternativeText: "a pixel" }));
const [file] = await editor.request("post", "/upload", { data: form, headers: form.getHeaders() });
assert.deepEqual([file.name, file.alternativeText, file.width, file.mime], ["sdk.png", "a pixel", 1, "image/png"]);
assert.equal((await fetch(BASE + file.url)).status, 200);
assert.equal((await editor.request("get", `/upload/files/${file.id}`)).hash, file.hash);
await editor.request("delete", `/upload/files/${file.id}`);
assert.equal((await fetch(BASE + file.url)).status, 404);
