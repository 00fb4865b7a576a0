/** Convert drafts to the bodies of v4's operations, with our additions: renames, and data to delete. */
import { call } from '../api/client';
import type { Preview, PreviewForm } from '../api/operations';
import type { DefinitionDraft, Field } from './draft.svelte';
import type { RawAttributes } from './model';
import { localized } from './options';

type Json = Record<string, unknown>;

function attributes(fields: readonly Field[]): RawAttributes {
  return Object.fromEntries(fields.map((field) => [field.name, field.raw]));
}

function pluginOptions(draft: DefinitionDraft): Json {
  if (draft.isComponent || draft.identity.isLocalized === draft.before.isLocalized) {
    return draft.pluginOptions ? { pluginOptions: draft.pluginOptions } : {};
  }
  return { pluginOptions: localized(draft.pluginOptions, draft.identity.isLocalized) };
}

/** A description that did not exist before is left out while it is empty. */
const description = (draft: DefinitionDraft): Json =>
  draft.identity.description || draft.before.description ? { description: draft.identity.description } : {};

function ofOne(draft: DefinitionDraft): Json {
  const renamed = draft.present.filter((field) => field.state === 'renamed');
  const renames = Object.fromEntries(renamed.map((field) => [field.was?.name, field.name]));
  const drop = draft.dropped.map((field) => field.was?.name);
  return {
    ...(renamed.length ? { renames } : {}),
    ...(drop.length ? { drop, confirm: draft.word } : {}),
  };
}

function typeForm(draft: DefinitionDraft): Json {
  const { displayName, singularName, pluralName, kind, draftAndPublish } = draft.identity;
  return {
    ...{ displayName, singularName, pluralName, kind, draftAndPublish },
    ...description(draft),
    ...(draft.collectionName ? { collectionName: draft.collectionName } : {}),
    options: draft.options,
    ...pluginOptions(draft),
    ...ofOne(draft),
    attributes: attributes(draft.present),
  };
}

function componentForm(draft: DefinitionDraft): Json {
  const { displayName, category, icon } = draft.identity;
  return {
    ...{ displayName, category },
    ...(icon || draft.before.icon ? { icon } : {}),
    ...description(draft),
    ...pluginOptions(draft),
    ...ofOne(draft),
    attributes: attributes(draft.present),
  };
}

function used(draft: DefinitionDraft): DefinitionDraft[] {
  const named = new Set<unknown>();
  for (const { raw } of draft.present) {
    named.add(raw.component);
    for (const uid of Array.isArray(raw.components) ? raw.components : []) named.add(uid);
  }
  return draft.parts.filter((part) => named.has(part.temporary)).flatMap((part) => [part, ...used(part)]);
}

export interface Change {
  change: PreviewForm['change'];
  name?: string;
  form: unknown;
  /** The new components in the order of the form. */
  parts: DefinitionDraft[];
}

/** Return the change of a draft. */
export function changeOf(draft: DefinitionDraft): Change {
  const parts = used(draft);
  const components = parts.map((part) => ({ tmpUID: part.temporary, ...componentForm(part) }));
  const form = draft.isComponent
    ? { component: componentForm(draft), components }
    : { contentType: typeForm(draft), components };
  const what = draft.isComponent ? 'Component' : 'ContentType';
  return { change: `${draft.uid ? 'update' : 'create'}${what}`, ...(draft.uid ? { name: draft.uid } : {}), form, parts };
}

export async function preview({ change, name, form }: Pick<Change, 'change' | 'name' | 'form'>): Promise<Preview> {
  const body = { change, form, ...(name === undefined ? {} : { name }) };
  return (await call('POST /octavo/content-type-builder/preview', { body })).data;
}

/** Save a draft, and return the definition's UID. */
export async function save(draft: DefinitionDraft): Promise<string> {
  const { form: body } = changeOf(draft);
  const path = { uid: draft.uid ?? '' };
  let answer: unknown;
  if (draft.isComponent && draft.uid) answer = await call('PUT /content-type-builder/components/:uid', { path, body });
  else if (draft.isComponent) answer = await call('POST /content-type-builder/components', { body });
  else if (draft.uid) answer = await call('PUT /content-type-builder/content-types/:uid', { path, body });
  else answer = await call('POST /content-type-builder/content-types', { body });
  return (answer as { data: { uid: string } }).data.uid;
}
