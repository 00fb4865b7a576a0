// @nuxtjs/strapi: its own composables, with the few things of Nuxt that they ask for in place of a Nuxt application.

import assert from "node:assert/strict";
import { register } from "node:module";
import { ofetch } from "ofetch";
import { BASE, NAME, PASSWORD, picture, TOKEN } from "./site.mjs";

const RUNTIME = "./node_modules/@nuxtjs/strapi/dist/runtime";
const STATE = `
const config = { strapi: { url: "${BASE}", prefix: "/api", version: "v4", auth: { populate: ["role"] } } };
const state = new Map();
const ref = (key) => state.get(key) ?? state.set(key, { value: null }).get(key);
export const useNuxtApp = () => ({ hooks: { callHook: () => {} }, _cookies: {}, ssrContext: undefined });
export const useRuntimeConfig = () => ({ ...config, public: config });
export const useState = (key) => ref(key);
export const useCookie = (key) => ref(key);
export const useStrapiVersion = () => "v4";
export { useStrapiClient } from "${new URL(`${RUNTIME}/composables/useStrapiClient.mjs`, import.meta.url)}";
`;
const HOOKS = `
const state = "data:text/javascript," + encodeURIComponent(${JSON.stringify(STATE)});
export async function resolve(name, context, next) {
  return name === "#imports" ? { url: state, shortCircuit: true } : next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
globalThis.$fetch = ofetch;

const { useStrapi4 } = await import(`${RUNTIME}/composables-v4/useStrapi4.mjs`);
const { useStrapiAuth } = await import(`${RUNTIME}/composables/useStrapiAuth.mjs`);
const { useStrapiClient } = await import(`${RUNTIME}/composables/useStrapiClient.mjs`);
const strapi = useStrapi4();
const auth = useStrapiAuth();

// Reading
const page = await strapi.find("articles", {
  filters: { featured: true, tags: { name: { $notNull: true } } },
  sort: "title:desc",
  populate: ["cover", "author.portrait"],
  pagination: { start: 1, limit: 2 },
});
assert.equal(page.data.length, 2);
assert.deepEqual([page.meta.pagination.start, page.meta.pagination.limit], [1, 2]);
assert.equal((await strapi.findOne("articles", page.data[0].id)).data.id, page.data[0].id);
assert.ok((await strapi.findOne("homepage", { locale: "de", populate: "*" })).data.attributes.locale === "de");
await assert.rejects(strapi.findOne("articles", 999999), (error) => error.error.status === 404);
await assert.rejects(strapi.create("tags", { name: "x", slug: "x" }), (error) => error.error.status === 403);

// Writing
auth.setToken(TOKEN);
const made = await strapi.create("tags", { name: NAME, slug: NAME });
const changed = await strapi.update("tags", made.data.id, { name: `${NAME}!` });
assert.equal(changed.data.attributes.name, `${NAME}!`);
await strapi.delete("tags", made.data.id);

// Files
const client = useStrapiClient();
const [file] = await client("/upload", { method: "POST", body: picture("nuxt.png") });
assert.equal(file.mime, "image/png");
await client(`/upload/files/${file.id}`, { method: "DELETE" });
auth.logout();

// Users
const person = { username: NAME, email: `${NAME}@example.org`, password: PASSWORD };
const registered = await auth.register(person);
assert.equal(registered.user.value.username, NAME);
auth.logout();
await assert.rejects(auth.login({ identifier: NAME, password: "wrong" }), (error) => error.error.status === 400);
const session = await auth.login({ identifier: NAME, password: PASSWORD });
assert.equal(session.user.value.email, person.email);
await auth.changePassword({ currentPassword: PASSWORD, password: "other-Horse-8", passwordConfirmation: "other-Horse-8" });
await auth.forgotPassword({ email: person.email });
