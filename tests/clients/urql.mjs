// urql: queries, variables, mutations and combined errors.

import assert from "node:assert/strict";
import { Client, fetchExchange, gql } from "@urql/core";
import { BASE, NAME, TOKEN } from "./site.mjs";

const fetchOptions = { headers: { Authorization: `Bearer ${TOKEN}` } };

for (const preferGetMethod of [false, "force"]) {
  const client = new Client({ url: `${BASE}/graphql`, exchanges: [fetchExchange], fetchOptions, preferGetMethod });
  const query = gql`query($s: [String]) { articles(sort: $s, pagination: { limit: 3 }) { data { id } } }`;
  const { data, error } = await client.query(query, { s: ["id:desc"] });
  assert.equal(error, undefined);
  const ids = data.articles.data.map((item) => Number(item.id));
  assert.deepEqual(ids, ids.toSorted((a, b) => b - a));

  const wrong = await client.query(gql`{ articles(filters: { nope: 1 }) { data { id } } }`, {});
  assert.equal(wrong.error.graphQLErrors[0].extensions.code, "GRAPHQL_VALIDATION_FAILED");
}

const client = new Client({ url: `${BASE}/graphql`, exchanges: [fetchExchange], fetchOptions, preferGetMethod: false });
const made = await client.mutation(gql`mutation($d: TagInput!) { createTag(data: $d) { data { id } } }`, {
  d: { name: NAME, slug: NAME },
});
assert.equal(made.error, undefined);
const gone = await client.mutation(gql`mutation($i: ID!) { deleteTag(id: $i) { data { id } } }`, {
  i: made.data.createTag.data.id,
});
assert.equal(gone.data.deleteTag.data.id, made.data.createTag.data.id);
const partly = await client.query(gql`{ articles(pagination: { page: 1, limit: 1 }) { data { id } } authors { data { id } } }`, {});
assert.equal(partly.data.articles, null);
assert.ok(partly.data.authors.data.length > 0);
assert.equal(partly.error.graphQLErrors[0].extensions.code, "STRAPI_PAGINATION_ERROR");
