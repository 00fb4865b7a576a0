/** The localizations of entries: which exist, as drafts or published, and which are outdated. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { Locale, LocalizationState } from '../../api/operations';
import { session } from '../../app/session.svelte';
import { formatInstant, t } from '../../messages/index.svelte';
import { mayDo } from '../entry/rights';

/** The most that one request can ask for. */
const MOST = 100;

/** The locales in which entries of a content-type can be read. */
export function readableLocales(uid: string, locales: readonly Locale[]): Locale[] {
  return locales.filter(({ code }) => mayDo(session.rights, 'read', uid, code));
}

/** By the ids of entries. Its key is one of lists, so it is read again whenever entries were changed. */
export function localizationsQuery(
  uid: () => string,
  ids: () => readonly number[],
  isWanted: () => boolean,
): CreateQueryResult<Map<number, LocalizationState[]>> {
  return createQuery(() => {
    const asked = ids();
    return {
      queryKey: ['entries', uid(), 'localizations', asked],
      queryFn: async ({ signal }) => {
        const parts = Array.from({ length: Math.ceil(asked.length / MOST) }, (_, index) => asked.slice(index * MOST, (index + 1) * MOST));
        const found = await Promise.all(
          parts.map((part) => call('GET /octavo/localizations/:uid', { path: { uid: uid() }, query: { ids: part.join(',') }, signal })),
        );
        return new Map(found.flatMap(({ data }) => data.map(({ id, localizations }) => [id, localizations] as const)));
      },
      enabled: isWanted() && asked.length > 0,
      // Ids are of one content-type.
      placeholderData: (before: Map<number, LocalizationState[]> | undefined, of) => (of?.queryKey[1] === uid() ? before : undefined),
    };
  });
}

/** What there is to say of a localization, in words. */
export function describeState(state: LocalizationState | undefined, drafts: boolean): string {
  if (!state) return t('entry.locale.missing');
  const said = [drafts ? t(state.isDraft ? 'entry.state.draft' : 'entry.state.published') : t('entry.locale.exists')];
  if (state.outdatedSince) said.push(t('entry.locale.outdated', { when: formatInstant(state.outdatedSince) }));
  return said.join(', ');
}
