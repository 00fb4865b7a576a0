// The OpenAPI document of the magazine: types by openapi-typescript, compiled and used with openapi-fetch.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BASE, NAME, TOKEN } from "./site.mjs";

const folder = join(import.meta.dirname, "openapi");
mkdirSync(folder, { recursive: true });
const document = await (await fetch(`${BASE}/documentation/openapi.json`)).text();
writeFileSync(join(folder, "openapi.json"), document);
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const run = (...command) => execFileSync("npx", command, { cwd: folder, stdio: "inherit", timeout: 240_000 });
run("openapi-typescript", "openapi.json", "-o", "api.ts");
writeFileSync(
  join(folder, "use.ts"),
  `import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Input = components["schemas"]["ArticleInput"];
export const whole: Input = { title: "A title", slug: "a-title" }; // attributes with a default are not required
export const placed: components["schemas"]["RelationConnection"] = { id: 1, position: { start: true } };
// @ts-expect-error - an attribute that has another type
export const wrong: Input = { title: 5 };

export const client = createClient<paths>({ baseUrl: process.env.OCTAVO_BASE!, headers: { Authorization: \`Bearer \${process.env.OCTAVO_TOKEN!}\` } });
export const createTag = (name: string) => client.POST("/api/tags", { body: { data: { name, slug: name } } });
export const createArticle = (title: string, tags: number[]) =>
  client.POST("/api/articles", {
    body: { data: { title, slug: title, tags: { connect: tags.map((id) => ({ id, position: { start: true } })) } } },
  });
export const readArticle = async (id: number) => {
  const found = await client.GET("/api/articles/{id}", { params: { path: { id }, query: { populate: { tags: true } } } });
  return (found.data?.data.attributes.tags?.data ?? []).map((tag) => tag.attributes.name);
};
`,
);
run("tsc", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--types", "node", "--outDir", "made", "use.ts");
writeFileSync(join(folder, "made/package.json"), '{ "type": "module" }');

assert.ok(TOKEN);
const { createTag, createArticle, readArticle } = await import(join(folder, "made/use.js"));
const ids = [];
for (const name of [`${NAME}-a`, `${NAME}-b`]) {
  const { data, error } = await createTag(name);
  assert.equal(error, undefined);
  ids.push(data.data.id);
}
const article = await createArticle(NAME, ids);
assert.equal(article.error, undefined);
assert.deepEqual(await readArticle(article.data.data.id), [`${NAME}-b`, `${NAME}-a`]);
