/**
 * Relations to administrators. Users with permission to read administrators see their names; others see the titles of
 * the relation API.
 */
import { call } from '../../../api/client';
import type { QueryValue } from '../../../api/query';
import { nameOf } from '../../../app/people';
import { may } from '../../../app/session.svelte';
import { readCandidates, type LinkedPage, type Sought } from './queries';
import type { Linked } from './work';

const PAGE = 20;
const MOST = 100;
const areNamed = (target: string): boolean => target === 'admin::user' && may('admin::users.read');

/** Return possible targets of a relation. */
export async function findTargets(target: string, sought: Sought, signal: AbortSignal): Promise<LinkedPage> {
  if (!areNamed(target)) return readCandidates(sought, signal);
  const { text, page, omit } = sought;
  return readPeople({ page, pageSize: PAGE, sort: 'firstname:ASC', ...(text && { _q: text }), filters: { id: { $notIn: omit } } }, signal);
}

/** Return links with administrators' names as titles. */
export async function named(target: string, links: readonly Linked[], signal: AbortSignal): Promise<Linked[]> {
  if (!areNamed(target) || !links.length) return [...links];
  const people = await readPeople({ pageSize: MOST, filters: { id: { $in: links.map(({ id }) => id) } } }, signal);
  return links.map((link) => people.links.find(({ id }) => id === link.id) ?? link);
}

async function readPeople(query: Readonly<Record<string, QueryValue>>, signal: AbortSignal): Promise<LinkedPage> {
  const { results, pagination } = (await call('GET /admin/users', { query, signal })).data;
  return { links: results.map((person) => ({ id: person.id, title: nameOf(person), publishedAt: undefined, isHidden: false })), pagination };
}
