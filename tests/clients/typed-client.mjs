// `octavo types --typescript`: strict for the compiler, with what it has to refuse; and its client, run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BASE, NAME, TOKEN, picture } from "./site.mjs";

const folder = join(import.meta.dirname, "typed");
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const options = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
const tsc = (...more) => execFileSync("npx", ["tsc", ...options, ...more], { cwd: folder, stdio: "inherit" });
tsc("--noEmit", "--lib", "es2022,dom", "content.ts", "bookshop.ts", "use.ts", "docs.ts", "v4.ts");
execFileSync("npx", ["tsc", ...options, "--noEmit", "large-use.ts"], { cwd: folder, stdio: "inherit", timeout: 240_000 });
tsc("--outDir", "made", "content.ts");
writeFileSync(join(folder, "made/package.json"), '{ "type": "module" }');

const { ApiError, Client, queryString } = await import(join(folder, "made/content.js"));
assert.equal(
  decodeURIComponent(queryString({ a: { b: [1, { c: "x y" }], d: undefined, e: null }, f: true })),
  "a[b][0]=1&a[b][1][c]=x y&a[e]=&f=true",
);
assert.throws(() => queryString({ filters: { id: { $in: [] } } }), /empty list at filters\[id\]\[\$in\]/);

const client = new Client({ url: `${BASE}/`, token: async () => TOKEN });
const found = await client.find("api::article.article", {
  filters: { $or: [{ title: { $containsi: "the" } }, { id: [1, 2] }], author: { name: { $notNull: true } } },
  sort: ["title:desc"],
  fields: ["title"],
  populate: { author: { fields: ["name"], populate: ["portrait"] }, blocks: { on: { "blocks.quote": true } } },
  pagination: { start: 0, limit: 2 },
});
assert.equal(found.data.length, 2);
assert.ok(found.meta.pagination.total > 2);
assert.deepEqual(Object.keys(found.data[0].attributes).sort(), ["author", "blocks", "title"]);
assert.ok(found.data[0].attributes.author.data.attributes.portrait.data.attributes.url);
assert.ok(found.data.every(({ attributes }) => attributes.blocks.every((block) => block.__component === "blocks.quote")));

const home = await client.findSingle("api::homepage.homepage");
assert.ok(home.data.id);
const made = await client.create("api::tag.tag", { name: NAME, slug: NAME }, { populate: "*" });
assert.equal(made.data.attributes.name, NAME);
assert.deepEqual(made.data.attributes.articles, { data: [] });
const changed = await client.update("api::tag.tag", made.data.id, { articles: { connect: [found.data[0].id] } }, { populate: ["articles"] });
assert.equal(changed.data.attributes.articles.data[0].id, found.data[0].id);
const refused = await client.create("api::tag.tag", { name: null }).catch((error) => error);
assert.ok(refused instanceof ApiError && refused instanceof Error);
assert.deepEqual([refused.status, refused.name], [400, "ValidationError"]);
assert.ok(refused.details.errors.some(({ path }) => path[0] === "name"));
await client.delete("api::tag.tag", made.data.id);
const gone = await client.findOne("api::tag.tag", made.data.id).catch((error) => error);
assert.deepEqual([gone.status, gone.name], [404, "NotFoundError"]);
const [file] = await client.request("POST", "/upload", { body: picture("typed.png") });
assert.equal(file.name, "typed.png");
const stranger = await new Client({ url: BASE, token: "nope" }).find("api::tag.tag").catch((error) => error);
assert.equal(stranger.status, 401);
