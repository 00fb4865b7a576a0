// graphql-codegen and genql: what they make of the schema is strict TypeScript, and what genql makes works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import * as documents from "@graphql-codegen/typed-document-node";
import * as types from "@graphql-codegen/typescript";
import { buildClientSchema, getIntrospectionQuery, parse, printSchema } from "graphql";
import { BASE, TOKEN } from "./site.mjs";

const folder = join(import.meta.dirname, "generated");
const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
const answer = await fetch(`${BASE}/graphql`, {
  method: "POST",
  headers,
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
const schema = buildClientSchema((await answer.json()).data);
mkdirSync(folder, { recursive: true });
const strict = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
const tsc = (...files) => execFileSync("npx", ["tsc", ...strict, ...files], { cwd: folder, stdio: "inherit" });

// graphql-codegen
const text = `
  query List($page: PaginationArg, $filters: ArticleFiltersInput) {
    articles(pagination: $page, filters: $filters) {
      data { id attributes { title format blocks { __typename ... on Error { code } } tags { data { attributes { name } } } } }
      meta { pagination { total } }
    }
  }
  mutation Make($data: TagInput!) { createTag(data: $data) { data { id } } }
`;
const source = await codegen({
  filename: "made.ts",
  schema: parse(printSchema(schema)),
  documents: [{ location: "list.graphql", document: parse(text) }],
  config: { strictScalars: false, enumsAsTypes: true },
  plugins: [{ types: {} }, { operations: {} }, { documents: {} }],
  pluginMap: { types, operations, documents },
});
writeFileSync(join(folder, "made.ts"), source);
writeFileSync(
  join(folder, "use.ts"),
  `import type { ListQuery, ListQueryVariables, MakeMutationVariables } from "./made.js";
   export const asked: ListQueryVariables = { page: { limit: 1 }, filters: { title: { contains: "a" } } };
   export const made: MakeMutationVariables = { data: { name: "x" } };
   export const total = (found: ListQuery): number | undefined => found.articles?.meta.pagination.total;
   export const titles = (found: ListQuery): string[] =>
     (found.articles?.data ?? []).map((entry) => entry.attributes?.title ?? "");
   // @ts-expect-error: an attribute that does not exist
   export const wrong: ListQueryVariables = { filters: { nope: {} } };`,
);
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
tsc("made.ts", "use.ts");

// genql
const genql = ["genql", "--endpoint", `${BASE}/graphql`, "-H", `Authorization: Bearer ${TOKEN}`, "--output", "genql"];
execFileSync("npx", genql, { cwd: folder, stdio: "pipe" });
tsc("genql/index.ts");
execFileSync("npx", ["tsc", "--skipLibCheck", "--module", "commonjs", "--outDir", "plain", "genql/index.ts"], { cwd: folder });
writeFileSync(join(folder, "plain/package.json"), '{ "type": "commonjs" }');
const { createClient } = createRequire(import.meta.url)(join(folder, "plain/index.js"));
const client = createClient({ url: `${BASE}/graphql`, headers: { Authorization: `Bearer ${TOKEN}` } });
const found = await client.query({
  articles: { __args: { pagination: { limit: 2 }, sort: ["id"] }, data: { id: true, attributes: { title: true } } },
});
assert.equal(found.articles.data.length, 2);
