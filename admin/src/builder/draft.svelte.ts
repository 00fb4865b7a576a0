/** A definition that is being changed. Nothing is sent before it is saved. Unknown properties are kept. */
import type { BuiltComponent, BuiltType, RawAttribute } from './model';
import { canBeLocalized, isLocalized, localized, unlocalized } from './options';

export type DefinitionKind = 'collectionType' | 'singleType' | 'component';
export type FieldState = 'same' | 'new' | 'renamed' | 'changed' | 'removed';

let count = 0;
const sorted = (raw: RawAttribute): string => JSON.stringify(Object.entries(raw).sort());

/** An attribute. `was` is the current definition, which new attributes lack. */
export class Field {
  readonly key = `field-${++count}`;
  name = $state('');
  raw = $state.raw<RawAttribute>({ type: 'string' });
  isRemoved = $state(false);
  /** Its data is deleted too. */
  isDropped = $state(false);
  readonly was: { name: string; raw: RawAttribute } | null;

  constructor(name: string, raw: RawAttribute, isNew: boolean) {
    this.name = name;
    this.raw = raw;
    this.was = isNew ? null : { name, raw };
  }

  get isFixed(): boolean {
    return this.raw.configurable === false;
  }

  /** Write the current definition in the same form as the draft, so that an equal attribute counts as unchanged. */
  settle(): void {
    if (this.was && sorted(this.was.raw) === sorted(this.raw)) this.raw = this.was.raw;
  }

  get state(): FieldState {
    if (!this.was) return 'new';
    if (this.isRemoved) return 'removed';
    if (this.was.name !== this.name) return 'renamed';
    return this.raw === this.was.raw ? 'same' : 'changed';
  }
}

/** The properties of a definition besides its attributes. */
export interface Identity {
  displayName: string;
  singularName: string;
  pluralName: string;
  description: string;
  category: string;
  icon: string;
  kind: DefinitionKind;
  draftAndPublish: boolean;
  isLocalized: boolean;
}

const BLANK: Identity = {
  displayName: '',
  singularName: '',
  pluralName: '',
  description: '',
  category: '',
  icon: '',
  kind: 'collectionType',
  draftAndPublish: true,
  isLocalized: false,
};
const NO_OPTIONS = new Set([
  'draftAndPublish', 'displayName', 'singularName', 'pluralName', 'description', 'pluginOptions', 'kind', 'collectionName',
  'attributes', 'visible', 'restrictRelationsTo', 'icon',
]);

export class DefinitionDraft {
  readonly key = `draft-${++count}`;
  readonly uid: string | null;
  readonly identity: Identity;
  readonly before: Identity;
  readonly collectionName: string | undefined;
  readonly options: Record<string, unknown>;
  readonly pluginOptions: Record<string, unknown> | undefined;
  readonly #order: readonly string[];
  fields = $state<Field[]>([]);
  /** Components that are created with it. */
  parts = $state<DefinitionDraft[]>([]);

  constructor(identity: Partial<Identity>, found?: BuiltType | BuiltComponent) {
    const schema = found?.schema as Record<string, unknown> | undefined;
    this.uid = found?.uid ?? null;
    this.before = { ...BLANK, ...identity };
    this.identity = $state({ ...this.before });
    this.collectionName = schema?.collectionName as string | undefined;
    this.pluginOptions = schema?.pluginOptions as Record<string, unknown> | undefined;
    this.options = Object.fromEntries(Object.entries(schema ?? {}).filter(([key]) => !NO_OPTIONS.has(key)));
    this.fields = Object.entries(found?.schema.attributes ?? {}).map(([name, raw]) => new Field(name, raw, false));
    this.#order = this.fields.map((field) => field.key);
  }

  get isComponent(): boolean {
    return this.identity.kind === 'component';
  }

  /** The temporary UID of a new component. */
  get temporary(): string {
    return `tmp.${this.key}`;
  }

  get present(): Field[] {
    return this.fields.filter((field) => !field.isRemoved);
  }

  get isMoved(): boolean {
    const order = this.fields.filter((field) => field.was).map((field) => field.key);
    return order.some((key, index) => key !== this.#order[index]);
  }

  get isIdentityChanged(): boolean {
    return (Object.keys(this.before) as (keyof Identity)[]).some((key) => this.before[key] !== this.identity[key]);
  }

  /** The number of changes. */
  get changes(): number {
    const fields = this.fields.filter((field) => field.state !== 'same').length;
    const parts = this.parts.reduce((sum, part) => sum + 1 + part.changes, 0);
    return fields + parts + Number(this.isIdentityChanged) + Number(this.isMoved);
  }

  get dropped(): Field[] {
    return this.fields.filter((field) => field.isRemoved && field.isDropped && field.was);
  }

  /** The word to type before data is deleted. */
  get word(): string {
    return this.uid?.includes('::') ? this.identity.singularName : (this.uid ?? '').replace(/^[^.]*\./, '');
  }

  add(name: string, raw: RawAttribute): Field {
    const field = new Field(name, raw, true);
    this.fields.push(field);
    return field;
  }

  /** Remove an attribute; one that was never saved disappears. */
  remove(field: Field): void {
    if (field.was) field.isRemoved = true;
    else this.fields = this.fields.filter((one) => one !== field);
  }

  restore(field: Field): void {
    if (!field.was) return;
    Object.assign(field, { name: field.was.name, raw: field.was.raw, isRemoved: false, isDropped: false });
  }

  move(field: Field, steps: number): void {
    const from = this.fields.indexOf(field);
    this.put(from, from + steps);
  }

  /** Set whether the type is localized, and with it, as in v4, all attributes that can be. */
  localize(isOn: boolean): void {
    this.identity.isLocalized = isOn;
    for (const field of this.fields) {
      if (!canBeLocalized(field.raw) || field.isFixed) continue;
      const was = field.was && isOn === this.before.isLocalized ? field.was.raw.pluginOptions : undefined;
      const { pluginOptions, ...kept } = field.raw;
      const now = was ?? (isOn ? localized(pluginOptions, true) : unlocalized(pluginOptions));
      field.raw = { ...kept, type: field.raw.type, ...(now ? { pluginOptions: now } : {}) };
      field.settle();
    }
  }

  put(from: number, to: number): void {
    if (from < 0 || to < 0 || to >= this.fields.length) return;
    const fields = [...this.fields];
    fields.splice(to, 0, ...fields.splice(from, 1));
    this.fields = fields;
  }
}

export function draftOfType(type: BuiltType): DefinitionDraft {
  const { displayName, singularName, pluralName, description = '', kind, draftAndPublish, pluginOptions } = type.schema;
  const identity = { displayName, singularName, pluralName, description, kind, draftAndPublish };
  return new DefinitionDraft({ ...identity, isLocalized: isLocalized(pluginOptions) }, type);
}

export function draftOfComponent(component: BuiltComponent): DefinitionDraft {
  const { displayName, description = '', icon = '' } = component.schema;
  return new DefinitionDraft({ displayName, description, icon, category: component.category, kind: 'component' }, component);
}
