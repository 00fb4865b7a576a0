/** The kinds of relations, as shown and as in definitions. */
import type { RawAttribute } from './model';

export const RELATIONS = ['oneWay', 'manyWay', 'oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const;
export type RelationKind = (typeof RELATIONS)[number];

/** Return the kind of a relation; null for those to several types, which are kept as they are. */
export function relationKind(raw: RawAttribute): RelationKind | null {
  const found = String(raw.relation);
  if (found.startsWith('morph')) return null;
  if (raw.targetAttribute) return found as RelationKind;
  return found === 'oneToOne' || found === 'manyToOne' ? 'oneWay' : 'manyWay';
}

export const isTwoSided = (kind: RelationKind): boolean => kind !== 'oneWay' && kind !== 'manyWay';
/** Return whether an entry can link several others. */
export const leadsToMany = (kind: RelationKind): boolean => ['manyWay', 'oneToMany', 'manyToMany'].includes(kind);
/** Return whether several entries can link a target. */
export const comesFromMany = (kind: RelationKind): boolean => ['manyToOne', 'manyToMany'].includes(kind);

/** Return a relation of a kind, with the name of its other side if it has one. Other options are kept. */
export function relationOf(raw: RawAttribute, kind: RelationKind, other: string): RawAttribute {
  const { inversedBy, mappedBy, targetAttribute, ...kept } = raw;
  if (kind === 'oneWay') return { ...kept, type: 'relation', relation: 'oneToOne' };
  if (kind === 'manyWay') return { ...kept, type: 'relation', relation: 'oneToMany' };
  const sides = relationKind(raw) === kind ? { ...(inversedBy ? { inversedBy } : {}), ...(mappedBy ? { mappedBy } : {}) } : {};
  return { ...kept, ...sides, type: 'relation', relation: kind, targetAttribute: other };
}
