// What @strapi/types makes of the declarations that `octavo types --typescript --strapi` writes. Never run.

import type { Attribute, Common } from "@strapi/types";
import "./schemas.js";

type Article = Attribute.GetValues<"api::article.article">;
export const title = (article: Article): string | undefined => article.title;
export const format = (article: Article): "feature" | "portrait" | "recipe" | "essay" | "note" | undefined => article.format;
export const uid: Common.UID.ContentType = "api::tag.tag";
// @ts-expect-error: there is no such type
export const wrong: Common.UID.ContentType = "api::nope.nope";
// @ts-expect-error: there is no such attribute
export const nope = (article: Article) => article.nope;
// @ts-expect-error: it is private
export const hidden = (article: Article) => article.editorsNote;
