// gatsby-source-strapi: its own code asks for the definitions and for every entry, and makes nodes of them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { BASE, TOKEN } from "./site.mjs";

const require = createRequire(import.meta.url);
const { sourceNodes } = require("gatsby-source-strapi/dist/gatsby-node.js");

const nodes = new Map();
const kept = new Map();
const panic = (message, error) => {
  throw new Error(message, { cause: error });
};
const gatsby = {
  actions: { createNode: (node) => nodes.set(node.id, node), touchNode: () => {}, deleteNode: (node) => nodes.delete(node.id) },
  createContentDigest: (content) => createHash("md5").update(JSON.stringify(content)).digest("hex"),
  createNodeId: (name) => name,
  reporter: { info: () => {}, warn: () => {}, error: panic, panic },
  cache: { get: async (key) => kept.get(key), set: async (key, value) => kept.set(key, value) },
  getCache: () => ({}),
  store: {},
  getNodes: () => [...nodes.values()],
  getNode: (id) => nodes.get(id),
};
const config = {
  apiURL: BASE,
  accessToken: TOKEN,
  skipFileDownloads: true,
  collectionTypes: [
    { singularName: "article", queryLimit: 5, queryParams: { populate: { author: "*", tags: "*", blocks: { populate: "*" }, cover: "*" } } },
    "author",
    { singularName: "category", pluginOptions: { i18n: { locale: "all" } } },
    "tag",
    "event",
    "user",
  ],
  singleTypes: [{ singularName: "homepage", pluginOptions: { i18n: { locale: "all" } } }, "about"],
};

await sourceNodes(gatsby, structuredClone(config));
const byType = Object.groupBy?.(nodes.values(), (node) => node.internal.type) ?? grouped([...nodes.values()]);
function grouped(list) {
  const groups = {};
  for (const node of list) (groups[node.internal.type] ??= []).push(node);
  return groups;
}
for (const type of ["ARTICLE", "AUTHOR", "CATEGORY", "TAG", "EVENT", "HOMEPAGE", "ABOUT"]) {
  assert.ok(byType[`STRAPI_${type}`]?.length, `nodes of ${type}`);
}
const answer = await (await fetch(`${BASE}/api/articles?pagination[pageSize]=1`)).json();
assert.equal(byType.STRAPI_ARTICLE.length, answer.meta.pagination.total, "every page of articles was asked for");
assert.ok(byType.STRAPI_ARTICLE.some((node) => node.author___NODE || node.author), "relations lead to nodes");
assert.equal(new Set(byType.STRAPI_HOMEPAGE.map((node) => node.locale)).size, 3, "every locale of a single type");

// Once more, as a later build does: only what has changed since is asked for.
const before = nodes.size;
await sourceNodes(gatsby, structuredClone(config));
assert.equal(nodes.size, before);
