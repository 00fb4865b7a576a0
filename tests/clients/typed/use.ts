// What the compiler has to accept of the magazine's types, and what it has to refuse (`@ts-expect-error`). Never run.

import { ApiError, Client, type Create, type Entry } from "./content.js";

const client = new Client({ url: "http://localhost" });

type Article = Entry<
  "api::article.article",
  {
    author: { fields: ["name"]; populate: ["portrait"] };
    blocks: { on: { "blocks.quote": true; "blocks.gallery": { populate: "*" } } };
  }
>;

export function read(a: Article): string {
  const author = a.attributes.author.data;
  const name: string = author?.attributes.name ?? "";
  // @ts-expect-error not in fields
  author?.attributes.slug;
  const url: string | undefined = author?.attributes.portrait.data?.attributes.url;
  for (const block of a.attributes.blocks) {
    if (block.__component === "blocks.quote") { const t: string = block.text; void t; }
    else { const c: "blocks.gallery" = block.__component; void c; void block.images.data?.length }
  }
  // @ts-expect-error not populated
  a.attributes.tags;
  // @ts-expect-error private
  a.attributes.editorsNote;
  const format: "feature" | "portrait" | "recipe" | "essay" | "note" = a.attributes.format;
  return name + (url ?? "") + format;
}
export async function ask() {
  const list = await client.find("api::article.article", {
    filters: { title: { $containsi: "a" }, author: { name: { $eq: "x" } }, $or: [{ featured: true }, { id: [1, 2] }], readingMinutes: {$between: [1, 2]} },
    sort: ["title:desc", "author.name"], fields: ["title", "slug"], populate: ["author", "author.portrait", "tags"], pagination: { start: 0, limit: 3 },
  });
  const one = list.data[0]!;
  const t: string = one.attributes.title;
  // @ts-expect-error
  one.attributes.body;
  const p: string | undefined = one.attributes.author.data?.attributes.portrait.data?.attributes.url;
  const tag: string | undefined = one.attributes.tags.data[0]?.attributes.name;
  const total: number = list.meta.pagination.total;
  const start: number = list.meta.pagination.start;
  // @ts-expect-error
  list.meta.pagination.page;
  // @ts-expect-error no such attribute
  await client.find("api::article.article", { filters: { nope: 1 } });
  // @ts-expect-error
  await client.find("api::article.article", { filters: { author: { nope: 1 } } });
  // @ts-expect-error
  await client.find("api::article.article", { filters: { readingMinutes: { $gt: "x" } } });
  // @ts-expect-error
  await client.find("api::article.article", { populate: { author: true, nope: true } });
  // @ts-expect-error
  await client.find("api::article.article", { populate: ["author", "nope"] });
  // @ts-expect-error
  await client.find("api::article.article", { populate: ["author.nope"] });
  // @ts-expect-error
  await client.find("api::article.article", { populate: { author: { populate: { nope: true } } } });
  // @ts-expect-error
  await client.find("api::article.article", { populate: { author: { fields: ["nope"] } } });
  // @ts-expect-error
  await client.find("api::article.article", { populate: { author: { nope: 1 } } });
  // @ts-expect-error
  await client.find("api::article.article", { fields: ["nope"] });
  // @ts-expect-error
  await client.find("api::article.article", { sort: "nope" });
  // @ts-expect-error
  await client.find("api::article.article", { pagination: { page: 1, start: 2 } });
  // @ts-expect-error
  await client.find("api::article.articel");
  const all = await client.findOne("api::article.article", 1, { populate: "*" });
  const seo: string | null | undefined = all.data.attributes.seo?.metaTitle;
  const home = await client.findSingle("api::homepage.homepage", { populate: { } });
  // @ts-expect-error
  await client.findSingle("api::article.article");
  const made = await client.create("api::article.article", { title: "x", slug: "y", tags: [1, { id: 2 }], author: 3, blocks: [{ __component: "blocks.quote", text: "x" }] }, { populate: { tags: true } });
  await client.create("api::article.article", { publishedAt: null });
  // @ts-expect-error title and slug are required
  await client.create("api::article.article", { excerpt: "x" });
  // @ts-expect-error
  await client.create("api::article.article", { title: "x", slug: "y", format: "z" });
  // @ts-expect-error
  await client.update("api::article.article", 1, { nope: 1 });
  await client.update("api::article.article", made.data.id, { excerpt: null, tags: { connect: [1], disconnect: [{ id: 2 }] } });
  const drafts = await client.find("api::article.article", { publicationState: "preview", populate: { author: true } });
  // @ts-expect-error may be null
  const dt: string = drafts.data[0]!.attributes.title;
  const dn: string | null | undefined = drafts.data[0]!.attributes.author?.data?.attributes.name;
  const draft: Create<"api::article.article"> = { publishedAt: null, title: "x" };
  const counted = await client.find("api::tag.tag", { populate: { articles: { count: true } } });
  const n: number = counted.data[0]!.attributes.articles.data.attributes.count;
  try { await client.delete("api::tag.tag", 1); } catch (error) { if (error instanceof ApiError) { const s: number = error.status; void s; void error.details.errors?.[0]?.path } }
  return [t, p, tag, total, start, seo, home, dt, dn, draft, n];
}
