/** The kinds of relations, as they are offered and as they are written. */
import type { RawAttribute } from './model';

export const RELATIONS = ['oneWay', 'manyWay', 'oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const;
export type RelationKind = (typeof RELATIONS)[number];

/** How a relation is drawn: null for those to several types, which are kept as they are. */
export function relationKind(raw: RawAttribute): RelationKind | null {
  const found = String(raw.relation);
  if (found.startsWith('morph')) return null;
  if (raw.targetAttribute) return found as RelationKind;
  return found === 'oneToOne' || found === 'manyToOne' ? 'oneWay' : 'manyWay';
}

export const isTwoSided = (kind: RelationKind): boolean => kind !== 'oneWay' && kind !== 'manyWay';
/** Whether an entry leads to many. */
export const leadsToMany = (kind: RelationKind): boolean => ['manyWay', 'oneToMany', 'manyToMany'].includes(kind);
/** Whether many lead to an entry of the target. */
export const comesFromMany = (kind: RelationKind): boolean => ['manyToOne', 'manyToMany'].includes(kind);

/** A relation of that kind, with the name of its other side if it has one. What else is said of it is kept. */
export function relationOf(raw: RawAttribute, kind: RelationKind, other: string): RawAttribute {
  const { inversedBy, mappedBy, targetAttribute, ...kept } = raw;
  if (kind === 'oneWay') return { ...kept, type: 'relation', relation: 'oneToOne' };
  if (kind === 'manyWay') return { ...kept, type: 'relation', relation: 'oneToMany' };
  const sides = relationKind(raw) === kind ? { ...(inversedBy ? { inversedBy } : {}), ...(mappedBy ? { mappedBy } : {}) } : {};
  return { ...kept, ...sides, type: 'relation', relation: kind, targetAttribute: other };
}
