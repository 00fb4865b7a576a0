/** Check attributes before they are sent. The service checks everything again. */
import { t } from '../messages/index.svelte';
import type { DefinitionDraft, Field } from './draft.svelte';
import { typeOf, type Model, type RawAttribute } from './model';
import { ATTRIBUTE_NAME, snake } from './names';

export type FieldProblems = Record<string, string>;

interface Around {
  model: Model;
  draft: DefinitionDraft;
  field: Field | null;
}

export function checked(name: string, raw: RawAttribute, around: Around): FieldProblems {
  const found: FieldProblems = {};
  const wrongName = nameProblem(name, around);
  if (wrongName) found.name = wrongName;
  if (raw.type === 'relation') Object.assign(found, relationProblems(name, raw, around));
  if (raw.type === 'component' && !raw.component) found.component = t('builder.check.component');
  if (raw.type === 'dynamiczone' && !(raw.components as string[]).length) found.components = t('builder.check.components');
  if (raw.type === 'enumeration') {
    const wrong = enumProblem((raw.enum as string[] | undefined) ?? []);
    if (wrong) found.enum = wrong;
  }
  if (raw.type === 'media' && (raw.allowedTypes as string[] | undefined)?.length === 0) found.allowedTypes = t('builder.check.allowed');
  for (const [low, high] of [['min', 'max'], ['minLength', 'maxLength']] as const) {
    const isTurned = raw[low] !== undefined && raw[high] !== undefined && Number(raw[low]) > Number(raw[high]);
    if (isTurned) found[high] = t('builder.check.range');
  }
  if (typeof raw.regex === 'string' && !isPattern(raw.regex)) found.regex = t('builder.check.regex');
  return found;
}

function nameProblem(name: string, { model, draft, field }: Around): string | undefined {
  if (!name) return t('builder.check.name');
  if (!ATTRIBUTE_NAME.test(name)) return t('builder.check.nameForm');
  if (field?.name === name) return undefined;
  if (model.reserved.includes(snake(name))) return t('builder.check.reserved', { name });
  // An attribute that is removed without its data can return with another type: its values are converted.
  const isOpen = (other: Field): boolean => other === field || (other.isRemoved && !other.isDropped && other.was?.name === name);
  const taken = draft.fields.find((other) => !isOpen(other) && [other.name, other.was?.name ?? ''].some((one) => snake(one) === snake(name)));
  return taken ? t('builder.check.taken', { name: taken.name }) : undefined;
}

function relationProblems(name: string, raw: RawAttribute, { model, draft, field }: Around): FieldProblems {
  if (String(raw.relation).startsWith('morph')) return {};
  if (!raw.target) return { target: t('builder.check.target') };
  if (raw.targetAttribute === undefined || raw.targetAttribute === null) return {};
  const other = String(raw.targetAttribute);
  if (!ATTRIBUTE_NAME.test(other)) return { targetAttribute: t('builder.check.nameForm') };
  const present = typeOf(model, raw.target)?.schema.attributes[other];
  const isOurs = present?.target === draft.uid && present?.targetAttribute === (field?.was?.name ?? name);
  const isItself = raw.target === (draft.uid ?? '__self__') && (other === name || draft.present.some((one) => one.name === other && one !== field && one.raw.targetAttribute === name));
  return present && !isOurs && !isItself ? { targetAttribute: t('builder.check.taken', { name: other }) } : {};
}

function enumProblem(values: string[]): string | undefined {
  if (!values.length) return t('builder.check.enum');
  if (new Set(values).size < values.length) return t('builder.check.enumTwice');
  return values.some((value) => /^\d/.test(value)) ? t('builder.check.enumDigit') : undefined;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
