/** Localizations of entries: which exist, and whether they are drafts, published or outdated. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { Locale, LocalizationState } from '../../api/operations';
import { session } from '../../app/session.svelte';
import { formatInstant, t } from '../../messages/index.svelte';
import type { Values } from '../entry/form.svelte';
import { mayDo } from '../entry/rights';

/** The most ids in one request. */
const MOST = 100;

/** Return the locales in which the user can read entries of a content type. */
export function readableLocales(uid: string, locales: readonly Locale[]): Locale[] {
  return locales.filter(({ code }) => mayDo(session.rights, 'read', uid, code));
}

/** Return the locales in which an entry exists, including those that the user cannot read. */
export function localesOf(entry: Values): Set<string> {
  const siblings = (entry.localizations ?? []) as { locale: string }[];
  return new Set([entry.locale as string, ...siblings.map(({ locale }) => locale)]);
}

/**
 * Query the localizations of entries, by id. The key starts like those of lists, so that changed entries invalidate it.
 */
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
      // Keep the previous result only within a content type, because ids repeat across types.
      placeholderData: (before: Map<number, LocalizationState[]> | undefined, of) => (of?.queryKey[1] === uid() ? before : undefined),
    };
  });
}

/** Return a label for the state of a localization. `exists`: whether it exists even if its state cannot be read. */
export function describeState(state: LocalizationState | undefined, drafts: boolean, exists: boolean): string {
  if (!state) return t(exists ? 'entry.locale.unreadable' : 'entry.locale.missing');
  const said = [drafts ? t(state.isDraft ? 'entry.state.draft' : 'entry.state.published') : t('entry.locale.exists')];
  if (state.outdatedSince) said.push(t('entry.locale.outdated', { when: formatInstant(state.outdatedSince) }));
  return said.join(', ');
}
