// @refinedev/strapi-v4: the data provider and the helper for accounts; files by its HTTP client.

import assert from "node:assert/strict";
import { AuthHelper, DataProvider } from "@refinedev/strapi-v4";
import axios from "axios";
import { BASE, NAME, PASSWORD, picture, TOKEN } from "./site.mjs";

const http = axios.create({ headers: { Authorization: `Bearer ${TOKEN}` } });
const provider = DataProvider(`${BASE}/api`, http);

// Reading
const { data, total } = await provider.getList({
  resource: "articles",
  pagination: { currentPage: 2, current: 2, pageSize: 3 },
  sorters: [{ field: "id", order: "desc" }],
  filters: [
    { field: "title", operator: "contains", value: "a" },
    {
      operator: "or",
      value: [
        { field: "featured", operator: "eq", value: true },
        { field: "readingMinutes", operator: "gte", value: 1 },
      ],
    },
  ],
  meta: { populate: ["author", "tags"], publicationState: "preview" },
});
assert.equal(data.length, 3);
assert.ok(total > 3);
assert.ok(data[0].id > data[1].id);
assert.ok(data[0].author.name, "the provider flattens what is populated");
const many = await provider.getMany({ resource: "articles", ids: [data[0].id, data[2].id] });
assert.deepEqual(many.data.map((item) => item.id).sort(), [data[0].id, data[2].id].sort());
const one = await provider.getOne({ resource: "articles", id: data[0].id, meta: { populate: "*" } });
assert.equal(one.data.slug, data[0].slug);
const french = await provider.getList({ resource: "categories", meta: { locale: "fr", populate: "localizations" } });
assert.ok(french.data.every((item) => item.locale === "fr"));

// Writing
const made = await provider.create({ resource: "tags", variables: { name: NAME, slug: NAME } });
const { id } = made.data.data;
const changed = await provider.update({ resource: "tags", id, variables: { name: `${NAME}!` } });
assert.equal(changed.data.data.attributes.name, `${NAME}!`);
await assert.rejects(
  provider.create({ resource: "tags", variables: {} }),
  (error) => error.statusCode === 400 && Object.keys(error.errors).includes("name"),
);
const more = await provider.createMany({
  resource: "tags",
  variables: [{ name: `${NAME}-2`, slug: `${NAME}-2` }, { name: `${NAME}-3`, slug: `${NAME}-3` }],
});
const ids = [id, ...more.data.map((item) => item.data.id)];
await provider.updateMany({ resource: "tags", ids: ids.slice(1), variables: { articles: [data[0].id] } });
await provider.deleteMany({ resource: "tags", ids: ids.slice(1) });
await provider.deleteOne({ resource: "tags", id });
await assert.rejects(provider.getOne({ resource: "tags", id }), (error) => error.response.status === 404);

// Users
const person = { username: NAME, email: `${NAME}@example.org`, password: PASSWORD, role: 1, confirmed: true };
const user = await provider.create({ resource: "users", variables: person });
const accounts = AuthHelper(`${BASE}/api`);
const session = await accounts.login(NAME, PASSWORD);
assert.equal((await accounts.me(session.data.jwt)).data.email, person.email);
await provider.update({ resource: "users", id: user.data.id, variables: { blocked: true } });
await assert.rejects(accounts.me(session.data.jwt), (error) => error.response.status === 401);
const listed = await provider.getList({
  resource: "users",
  filters: [{ field: "username", operator: "eq", value: NAME }],
});
assert.equal(listed.data.length, 1);
await provider.deleteOne({ resource: "users", id: user.data.id });

// Files
const uploaded = await provider.custom({ url: `${BASE}/api/upload`, method: "post", payload: picture("refine.png") });
assert.equal(uploaded.data[0].name, "refine.png");
await provider.custom({ url: `${BASE}/api/upload/files/${uploaded.data[0].id}`, method: "delete" });
