// graphql-request: requests, batches, raw answers and errors.

import assert from "node:assert/strict";
import { ClientError, GraphQLClient, gql } from "graphql-request";
import { BASE, NAME, PASSWORD, TOKEN } from "./site.mjs";

const url = `${BASE}/graphql`;
const client = new GraphQLClient(url, { headers: { Authorization: `Bearer ${TOKEN}` } });

const { article } = await client.request(gql`query($i: ID) { article(id: $i) { data { id attributes { title } } } }`, { i: 1 });
assert.equal(article.data.id, "1");
const raw = await client.rawRequest(gql`{ tags { meta { pagination { total } } } }`);
assert.equal(raw.status, 200);
assert.ok(raw.data.tags.meta.pagination.total > 0);
const [first, second] = await client.batchRequests([{ document: "{ about { data { id } } }" }, { document: "{ authors { data { id } } }" }]);
assert.ok(first.data.about);
assert.ok(second.data.authors.data.length > 0);
await assert.rejects(client.request("{ articles(sort: \"nothing\") { data { id } } }"), (error) => {
  assert.ok(error instanceof ClientError);
  return error.response.errors[0].extensions.error.name === "ValidationError";
});

// An account of its own
const anonymous = new GraphQLClient(url);
const { register } = await anonymous.request(
  gql`mutation($d: UsersPermissionsRegisterInput!) { register(input: $d) { jwt user { id username } } }`,
  { d: { username: NAME, email: `${NAME}@example.org`, password: PASSWORD } },
);
assert.equal(register.user.username, NAME);
const { login } = await anonymous.request(
  gql`mutation($d: UsersPermissionsLoginInput!) { login(input: $d) { jwt } }`,
  { d: { identifier: NAME, password: PASSWORD } },
);
const own = new GraphQLClient(url, { headers: { Authorization: `Bearer ${login.jwt}` } });
assert.equal((await own.request("{ me { username } }")).me.username, NAME);
await assert.rejects(
  anonymous.request("mutation { deleteTag(id: 1) { data { id } } }"),
  (error) => error.response.errors[0].extensions.code === "FORBIDDEN",
);
await client.request("mutation($i: ID!) { deleteUsersPermissionsUser(id: $i) { data { id } } }", { i: register.user.id });
