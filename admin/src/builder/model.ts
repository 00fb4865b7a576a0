/** Definitions in the builder, as in their files. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../api/client';
import type { BuilderState } from '../api/operations';
import { BASE } from '../app/addresses';
import { queries } from '../app/queries';
import { readRights } from '../app/session.svelte';
import { definitionsKey } from '../content/model/definitions';

/** The definition of an attribute. Unknown properties are kept. */
export interface RawAttribute {
  type: string;
  [key: string]: unknown;
}
export type RawAttributes = Record<string, RawAttribute>;

interface Schema {
  displayName: string;
  description?: string;
  collectionName?: string;
  pluginOptions?: Record<string, unknown>;
  attributes: RawAttributes;
}
export interface TypeSchema extends Schema {
  kind: 'collectionType' | 'singleType';
  singularName: string;
  pluralName: string;
  draftAndPublish: boolean;
  visible: boolean;
  restrictRelationsTo: string[] | null;
  [option: string]: unknown;
}
export interface BuiltType {
  uid: string;
  plugin?: string;
  apiID: string;
  schema: TypeSchema;
}
export interface BuiltComponent {
  uid: string;
  category: string;
  apiId: string;
  schema: Schema & { icon?: string };
}
export interface Model {
  types: BuiltType[];
  components: BuiltComponent[];
  /** Names that attributes cannot have. */
  reserved: string[];
  state: BuilderState;
}

export const modelKey = ['builder'] as const;

async function readModel(signal: AbortSignal): Promise<Model> {
  const [types, components, names, state] = await Promise.all([
    call('GET /content-type-builder/content-types', { signal }) as Promise<{ data: BuiltType[] }>,
    call('GET /content-type-builder/components', { signal }) as Promise<{ data: BuiltComponent[] }>,
    call('GET /content-type-builder/reserved-names', { signal }) as Promise<{ attributes: string[] }>,
    call('GET /octavo/content-type-builder', { signal }),
  ]);
  return { types: types.data, components: components.data, reserved: names.attributes, state: state.data };
}

export function modelQuery(): CreateQueryResult<Model> {
  return createQuery(() => ({ queryKey: modelKey, queryFn: ({ signal }) => readModel(signal) }));
}

/** Reload definitions and permissions after a change. */
export async function modelChanged(): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: modelKey }), readRights()]);
  for (const queryKey of [definitionsKey, ['views']]) void queries.invalidateQueries({ queryKey });
}

export const typeOf = (model: Model, uid: unknown): BuiltType | undefined => model.types.find((one) => one.uid === uid);
export const partOf = (model: Model, uid: unknown): BuiltComponent | undefined =>
  model.components.find((one) => one.uid === uid);
export const nameOf = (model: Model, uid: unknown): string =>
  typeOf(model, uid)?.schema.displayName ?? partOf(model, uid)?.schema.displayName ?? String(uid);

/** Return the visible content types by name. */
export function shownTypes(model: Model, kind?: string): BuiltType[] {
  return model.types
    .filter((one) => one.schema.visible && (kind === undefined || one.schema.kind === kind))
    .sort((a, b) => a.schema.displayName.localeCompare(b.schema.displayName));
}

/** Return the components by category, both sorted by name. */
export function categories(model: Model): { name: string; components: BuiltComponent[] }[] {
  const names = [...new Set(model.components.map((one) => one.category))].sort();
  const byName = (a: BuiltComponent, b: BuiltComponent): number => a.schema.displayName.localeCompare(b.schema.displayName);
  return names.map((name) => ({ name, components: model.components.filter((one) => one.category === name).sort(byName) }));
}

export const BUILDER = `${BASE}/plugins/content-type-builder`;
export function definitionAddress(uid: string): string {
  return uid.includes('::') ? `${BUILDER}/content-types/${uid}` : `${BUILDER}/component-categories/${uid.split('.')[0]}/${uid}`;
}

/** Return the uses of a definition: UIDs, and the attribute that links to it. */
export function usesOf(model: Model, uid: string): { uid: string; attribute: string }[] {
  const leads = (raw: RawAttribute): boolean =>
    raw.target === uid || raw.component === uid || (Array.isArray(raw.components) && raw.components.includes(uid));
  return [...model.types, ...model.components]
    .filter((one) => one.uid !== uid)
    .flatMap((one) =>
      Object.entries(one.schema.attributes)
        .filter(([, raw]) => leads(raw))
        .map(([attribute]) => ({ uid: one.uid, attribute })),
    );
}
