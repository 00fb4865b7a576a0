// Apollo Client: cache, persisted queries, batches, uploads, errors.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import core from "@apollo/client/core/core.cjs";
import batch from "@apollo/client/link/batch-http/batch-http.cjs";
import persisted from "@apollo/client/link/persisted-queries/persisted-queries.cjs";
import createUploadLink from "apollo-upload-client/createUploadLink.mjs";
import { BASE, NAME, PIXEL, TOKEN } from "./site.mjs";

const { ApolloClient, HttpLink, InMemoryCache, gql } = core;
const uri = `${BASE}/graphql`;
const headers = { Authorization: `Bearer ${TOKEN}` };
const client = (link) => new ApolloClient({ link, cache: new InMemoryCache() });

const LIST = gql`
  query List($page: PaginationArg, $filters: ArticleFiltersInput, $with: Boolean!) {
    articles(pagination: $page, filters: $filters, sort: "id") {
      data { id attributes { ...Short author @include(if: $with) { data { id attributes { name } } } } }
      meta { pagination { total page pageSize pageCount } }
    }
  }
  fragment Short on Article { title slug blocks { __typename ... on Error { code } } }
`;
const variables = { page: { page: 1, pageSize: 2 }, filters: { title: { notNull: true } }, with: true };

// Plain, and from the cache
const plain = client(new HttpLink({ uri, headers }));
const { data } = await plain.query({ query: LIST, variables });
assert.equal(data.articles.data.length, 2);
assert.equal(data.articles.meta.pagination.pageSize, 2);
assert.equal(data.articles.data[0].__typename, "ArticleEntity");
assert.ok(plain.cache.extract()[`ArticleEntity:${data.articles.data[0].id}`], "entries have ids to be kept under");
const again = await plain.query({ query: LIST, variables, fetchPolicy: "cache-only" });
assert.deepEqual(again.data, data);

// Writing brings the cache up to date
const made = await plain.mutate({
  mutation: gql`mutation($d: TagInput!) { createTag(data: $d) { data { id attributes { name } } } }`,
  variables: { d: { name: NAME, slug: NAME } },
});
const { id } = made.data.createTag.data;
await plain.mutate({
  mutation: gql`mutation($i: ID!) { updateTag(id: $i, data: { name: "New" }) { data { id attributes { name } } } }`,
  variables: { i: id },
});
assert.deepEqual(plain.readFragment({ id: `TagEntity:${id}`, fragment: gql`fragment T on TagEntity { id }` }).id, id);
await plain.mutate({ mutation: gql`mutation($i: ID!) { deleteTag(id: $i) { data { id } } }`, variables: { i: id } });

// Errors
const nothing = gql`query { articles(sort: "nothing") { data { id } } }`;
const refused = await plain.query({ query: nothing, errorPolicy: "all" });
assert.equal(refused.errors[0].extensions.code, "BAD_USER_INPUT");
await assert.rejects(plain.query({ query: gql`{ nope }` }), (error) => {
  const [first] = error.networkError.result.errors;
  return error.networkError.statusCode === 400 && first.extensions.code === "GRAPHQL_VALIDATION_FAILED";
});

// Persisted queries: by hash first, by text when the hash is not known, by GET as well
for (const useGETForHashedQueries of [false, true]) {
  const sent = [];
  const fetch = async (address, options) => {
    sent.push(options.method === "GET" ? address : options.body);
    return globalThis.fetch(address, options);
  };
  const sha256 = (text) => createHash("sha256").update(text).digest("hex");
  const link = persisted.createPersistedQueryLink({ sha256, useGETForHashedQueries });
  const query = gql`query { authors(sort: "id") { data { id attributes { name ${useGETForHashedQueries ? "slug" : ""} } } } }`;
  for (let turn = 0; turn < 2; turn += 1) {
    const found = await client(link.concat(new HttpLink({ uri, headers, fetch }))).query({ query });
    assert.ok(found.data.authors.data.length > 0);
  }
  assert.equal(sent.length, 3, "the second time the hash is enough");
}

// Batches
const batching = client(new batch.BatchHttpLink({ uri, headers, batchMax: 3, batchInterval: 10 }));
const one = (n) => batching.query({ query: gql`query($n: ID) { article(id: $n) { data { id } } }`, variables: { n } });
const answers = await Promise.all([one("1"), one("2"), one("99999")]);
assert.deepEqual(answers.map(({ data: { article } }) => article.data?.id ?? null), ["1", "2", null]);

// Uploads
const uploading = client(createUploadLink({ uri, headers }));
const file = new File([PIXEL], "apollo.png", { type: "image/png" });
const uploaded = await uploading.mutate({
  mutation: gql`mutation($f: Upload!, $i: FileInfoInput) {
    upload(file: $f, info: $i) { data { id attributes { name alternativeText mime } } }
  }`,
  variables: { f: file, i: { alternativeText: "a pixel" } },
});
assert.equal(uploaded.data.upload.data.attributes.alternativeText, "a pixel");
const several = await uploading.mutate({
  mutation: gql`mutation($f: [Upload]!) { multipleUpload(files: $f) { data { id attributes { mime } } } }`,
  variables: { f: [file, file] },
});
assert.deepEqual(several.data.multipleUpload.map((item) => item.data.attributes.mime), ["image/png", "image/png"]);
for (const item of [uploaded.data.upload, ...several.data.multipleUpload]) {
  await plain.mutate({ mutation: gql`mutation($i: ID!) { removeFile(id: $i) { data { id } } }`, variables: { i: item.data.id } });
}
