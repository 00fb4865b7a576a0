/** Describe an attribute in a sentence: its type and rules. */
import { t } from '../messages/index.svelte';
import type { DefinitionDraft } from './draft.svelte';
import { kindOf } from './kinds';
import { nameOf, partOf, typeOf, type Model, type RawAttribute } from './model';
import { canBeLocalized, isLocalized } from './options';
import { relationKind, type RelationKind } from './relations';

/** Return the name of a component, which can be a new one. */
export function componentName(model: Model, draft: DefinitionDraft, uid: unknown): string {
  return draft.parts.find((part) => part.temporary === uid)?.identity.displayName ?? nameOf(model, uid);
}

function what(raw: RawAttribute, model: Model, draft: DefinitionDraft): string {
  const kind = kindOf(raw).name;
  switch (kind) {
    case 'custom':
      return t('builder.says.custom', { name: String(raw.customField ?? raw.type) });
    case 'relation':
      return relationSentence(raw, relationKind(raw), model, draft);
    case 'component': {
      const name = componentName(model, draft, raw.component);
      return t(raw.repeatable === true ? 'builder.says.components' : 'builder.says.component', { name });
    }
    case 'dynamiczone': {
      const names = ((raw.components as string[] | undefined) ?? []).map((uid) => componentName(model, draft, uid));
      return t('builder.says.zone', { names: names.join(', ') });
    }
    case 'media':
      return t(raw.multiple === true ? 'builder.says.files' : 'builder.says.file', { kinds: allowed(raw) });
    case 'enumeration':
      return t('builder.says.enumeration', { values: ((raw.enum as string[] | undefined) ?? []).join(', ') });
    case 'uid':
      return raw.targetField ? t('builder.says.uidOf', { name: String(raw.targetField) }) : t('builder.type.uid');
    default:
      return typeName(raw.type);
  }
}

const TYPES = {
  string: 'builder.type.string', text: 'builder.type.text', richtext: 'builder.type.richtext', blocks: 'builder.type.blocks',
  email: 'builder.type.email', password: 'builder.type.password', integer: 'builder.type.integer',
  biginteger: 'builder.type.biginteger', decimal: 'builder.type.decimal', float: 'builder.type.float',
  date: 'builder.type.date', datetime: 'builder.type.datetime', time: 'builder.type.time',
  timestamp: 'builder.type.timestamp', boolean: 'builder.type.boolean', json: 'builder.type.json', uid: 'builder.type.uid',
} as const;

/** Return the name of a type. */
export const typeName = (type: string): string => (type in TYPES ? t(TYPES[type as keyof typeof TYPES]) : type);

function allowed(raw: RawAttribute): string {
  const kinds = (raw.allowedTypes as ('images' | 'videos' | 'files' | 'audios')[] | undefined) ?? [];
  if (!kinds.length || kinds.length === 4) return t('builder.media.all');
  return kinds.map((kind) => t(`builder.media.${kind}`)).join(', ');
}

const words = (name: string): string => name.replaceAll('-', ' ');

/** Return the names of one entry and of several. */
function counted(model: Model, draft: DefinitionDraft, uid: unknown): [string, string] {
  const own = uid === draft.uid || uid === '__self__' ? draft.identity : undefined;
  const type = own?.singularName ? own : typeOf(model, uid)?.schema;
  if (type?.singularName) return [words(type.singularName), words(type.pluralName)];
  const name = own?.displayName || partOf(model, uid)?.schema.displayName || (uid ? nameOf(model, uid) : '…');
  return [name, name];
}

/**
 * Return a sentence such as "One article has one author; one author has many articles" for relations of such a kind.
 */
export function relationSentence(raw: RawAttribute, kind: RelationKind | null, model: Model, draft: DefinitionDraft): string {
  if (kind === null) return t('builder.says.morph', { relation: String(raw.relation) });
  const [owner, owners] = counted(model, draft, draft.uid ?? '__self__');
  const [target, targets] = counted(model, draft, raw.target);
  return t(`builder.relation.${kind}`, { owner: owner || t('builder.thisType'), owners: owners || t('builder.thisType'), target, targets });
}

/** Describe an attribute completely, the most important facts first. */
export function sentence(raw: RawAttribute, model: Model, draft: DefinitionDraft): string {
  const said = [what(raw, model, draft)];
  if (raw.targetAttribute) said.push(t('builder.says.back', { name: String(raw.targetAttribute) }));
  for (const key of ['required', 'unique', 'private'] as const) if (raw[key] === true) said.push(t(`builder.says.${key}`));
  for (const key of ['min', 'max', 'minLength', 'maxLength'] as const) {
    if (raw[key] !== undefined && raw[key] !== null) said.push(t(`builder.says.${key}`, { value: String(raw[key]) }));
  }
  if (raw.regex) said.push(t('builder.says.regex', { value: String(raw.regex) }));
  if (raw.default !== undefined && raw.default !== null && raw.default !== '') {
    const value = typeof raw.default === 'string' ? raw.default : JSON.stringify(raw.default);
    said.push(t('builder.says.default', { value }));
  }
  if (draft.identity.isLocalized && canBeLocalized(raw)) {
    said.push(t(isLocalized(raw.pluginOptions) ? 'builder.says.localized' : 'builder.says.shared'));
  }
  return said.join(' · ');
}
