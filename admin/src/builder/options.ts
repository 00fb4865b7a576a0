/** The options of an attribute besides its name and type, by type: v4's advanced settings. */
import { kindOf } from './kinds';
import type { RawAttribute } from './model';

export type Control = 'flag' | 'count' | 'number' | 'digits' | 'text' | 'json' | 'chosen' | 'truth' | 'date' | 'datetime-local' | 'time';
export interface Option {
  key: 'default' | 'required' | 'unique' | 'private' | 'min' | 'max' | 'minLength' | 'maxLength' | 'regex' | 'enumName';
  control: Control;
}

const flag = (key: Option['key']): Option => ({ key, control: 'flag' });
const count = (key: Option['key']): Option => ({ key, control: 'count' });
const REQUIRED = flag('required');
const UNIQUE = flag('unique');
const PRIVATE = flag('private');
const LENGTHS = [count('minLength'), count('maxLength')];
const TEXT: Option = { key: 'default', control: 'text' };

const numbers = (control: 'number' | 'digits'): Option[] => [
  REQUIRED, UNIQUE, PRIVATE,
  { key: 'min', control }, { key: 'max', control }, { key: 'default', control },
];
const dates = (control: Control): Option[] => [REQUIRED, UNIQUE, PRIVATE, { key: 'default', control }];
const texts: Option[] = [REQUIRED, UNIQUE, PRIVATE, ...LENGTHS, { key: 'regex', control: 'text' }, TEXT];

const OPTIONS: Record<string, Option[]> = {
  string: texts,
  text: texts,
  richtext: [REQUIRED, PRIVATE, ...LENGTHS, TEXT],
  blocks: [REQUIRED, PRIVATE],
  email: [REQUIRED, UNIQUE, PRIVATE, ...LENGTHS, TEXT],
  password: [REQUIRED, PRIVATE, ...LENGTHS],
  integer: numbers('number'),
  biginteger: numbers('digits'),
  decimal: numbers('number'),
  float: numbers('number'),
  enumeration: [REQUIRED, PRIVATE, { key: 'default', control: 'chosen' }, { key: 'enumName', control: 'text' }],
  date: dates('date'),
  datetime: dates('datetime-local'),
  timestamp: dates('text'),
  time: dates('time'),
  boolean: [REQUIRED, PRIVATE, { key: 'default', control: 'truth' }],
  json: [REQUIRED, PRIVATE, { key: 'default', control: 'json' }],
  uid: [REQUIRED, PRIVATE, ...LENGTHS, TEXT],
  media: [REQUIRED, PRIVATE],
  relation: [PRIVATE],
  component: [REQUIRED, PRIVATE, count('min'), count('max')],
  dynamiczone: [REQUIRED, count('min'), count('max')],
};

export function optionsOf(raw: RawAttribute): Option[] {
  if (kindOf(raw).name === 'custom') return [REQUIRED, PRIVATE];
  const options = OPTIONS[raw.type] ?? [REQUIRED, PRIVATE];
  if (raw.type === 'component' && raw.repeatable !== true) return options.filter((one) => one.control === 'flag');
  return raw.type === 'uid' && raw.targetField ? options.filter((one) => one.key !== 'default') : options;
}

/** Relations and UIDs always have a value for each locale. */
export const canBeLocalized = (raw: RawAttribute): boolean => raw.type !== 'relation' && raw.type !== 'uid';

interface Localized {
  i18n?: { localized?: boolean };
}
export const isLocalized = (options: unknown): boolean => (options as Localized | undefined)?.i18n?.localized === true;

/** Return pluginOptions that set it, with everything else kept. */
export function localized(options: unknown, isOn: boolean): Record<string, unknown> {
  const present = (options ?? {}) as Record<string, unknown>;
  return { ...present, i18n: { ...(present.i18n as object | undefined), localized: isOn } };
}

/** Return pluginOptions without it, or undefined if nothing else is set. */
export function unlocalized(options: unknown): Record<string, unknown> | undefined {
  const { i18n: _, ...kept } = (options ?? {}) as Record<string, unknown>;
  return Object.keys(kept).length ? kept : undefined;
}

/** Change an attribute to another type of its kind, without options that the new type lacks. */
export function retyped(raw: RawAttribute, type: string): RawAttribute {
  const known = new Set(optionsOf({ ...raw, type }).map((one) => one.key as string));
  const ours = new Set(optionsOf(raw).map((one) => one.key as string));
  const kept = Object.entries(raw).filter(([key]) => key !== 'default' && (!ours.has(key) || known.has(key)));
  const isNumeric = type === 'biginteger' || raw.type === 'biginteger';
  const fitting = kept.filter(([key]) => !(isNumeric && (key === 'min' || key === 'max')));
  return { ...Object.fromEntries(fitting), type };
}
