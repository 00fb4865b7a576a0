/** Queries for a relation's links and for possible targets. */
import { call } from '../../../api/client';
import type { Pagination } from '../../../api/operations';
import type { Owner } from './owner';
import type { Linked } from './work';

type Row = Record<string, unknown> & { id: number };
export interface LinkedPage {
  links: Linked[];
  pagination: Pagination;
}
interface Paged {
  results: Row[];
  pagination: Pagination;
}

const PAGE = 20;
const MOST = 80;
/** Return how many links to read from an offset: as many as were read before, but between 20 and 80. */
const sizeAt = (start: number): number => Math.min(Math.max(start, PAGE), MOST);

export const linksKey = (owner: Owner, field: string) => ['relations', owner.uid, String(owner.id), field] as const;

/** Return some links of a to-many relation, in order. `start` counts from the last link. */
export async function readLinks(owner: Owner, field: string, mainField: string, start: number, signal: AbortSignal): Promise<LinkedPage> {
  const path = { uid: owner.uid, id: owner.id ?? 0, field };
  const query = { page: start / sizeAt(start) + 1, pageSize: sizeAt(start) };
  const answer = (await call('GET /content-manager/relations/:uid/:id/:field', { path, query, signal })) as Paged;
  return { links: answer.results.map((row) => linkOf(row, mainField)).reverse(), pagination: answer.pagination };
}

/** Return the next offset; undefined if all links were read. */
export function afterLinks({ pagination }: LinkedPage, start: number): number | undefined {
  const next = start + sizeAt(start);
  return next < pagination.total ? next : undefined;
}

export async function readLink(owner: Owner, field: string, mainField: string, signal: AbortSignal): Promise<Linked | null> {
  const path = { uid: owner.uid, id: owner.id ?? 0, field };
  const answer = (await call('GET /content-manager/relations/:uid/:id/:field', { path, signal })) as { data: Row | null };
  return answer.data ? linkOf(answer.data, mainField) : null;
}

export interface Sought {
  owner: Owner;
  field: string;
  mainField: string;
  text: string;
  page: number;
  locale: string | null;
  /** Ids of unsaved changes: links added in the form, which are left out, and removed ones, which are found again. */
  omit: readonly number[];
  include: readonly number[];
}

export async function readCandidates(sought: Sought, signal: AbortSignal): Promise<LinkedPage> {
  const { owner, field, text, page, locale, omit, include } = sought;
  const query = {
    page,
    pageSize: PAGE,
    _q: text,
    ...(owner.id === null ? {} : { entityId: owner.id }),
    ...(locale === null ? {} : { locale }),
    idsToOmit: omit,
    idsToInclude: include,
  };
  const answer = (await call('GET /content-manager/relations/:uid/:field', { path: { uid: owner.uid, field }, query, signal })) as Paged;
  return { links: answer.results.map((row) => linkOf(row, sought.mainField)), pagination: answer.pagination };
}

export function linkOf(row: Row, mainField: string): Linked {
  const title = row[mainField];
  const isNamed = title !== null && title !== undefined && title !== '';
  return {
    id: row.id,
    title: isNamed ? String(title) : String(row.id),
    publishedAt: row.publishedAt as string | null | undefined,
    isHidden: title === undefined,
  };
}
