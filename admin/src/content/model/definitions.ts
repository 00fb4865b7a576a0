/** Queries for definitions, views and locales. */
import { createQuery, queryOptions, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import { queries } from '../../app/queries';
import type { Definitions, Locale, ComponentSchema, ContentTypeSchema, Views } from '../../api/operations';

const KEPT = 5 * 60_000;

export const definitionsKey = ['definitions'] as const;

const definitionsOptions = queryOptions({
  queryKey: definitionsKey,
  queryFn: async ({ signal }) => (await call('GET /content-manager/init', { signal })).data,
  staleTime: KEPT,
});

const viewsOptions = (uid: string) =>
  queryOptions({
    queryKey: ['views', uid],
    queryFn: async ({ signal }) =>
      (await call('GET /content-manager/content-types/:uid/configuration', { path: { uid }, signal })).data,
    staleTime: KEPT,
  });

const localesOptions = queryOptions({
  queryKey: ['locales'],
  queryFn: ({ signal }) => call('GET /i18n/locales', { signal }),
  staleTime: KEPT,
});

export function definitionsQuery(): CreateQueryResult<Definitions> {
  return createQuery(() => definitionsOptions);
}

/** Query the list and form views of a content type. */
export function viewsQuery(uid: () => string, isWanted: () => boolean = () => true): CreateQueryResult<Views> {
  return createQuery(() => ({ ...viewsOptions(uid()), enabled: isWanted() }));
}

export function localesQuery(): CreateQueryResult<Locale[]> {
  return createQuery(() => localesOptions);
}

/** Prefetch the data of the page at this URL while the session is being checked. */
export function warmUp(pathname: string): void {
  void queries.prefetchQuery(definitionsOptions);
  const [, uid] = /\/content-manager\/(?:collection|single)-types\/([^/]+)/.exec(pathname) ?? [];
  if (!uid) return;
  void queries.prefetchQuery(localesOptions);
  void queries.prefetchQuery(viewsOptions(decodeURIComponent(uid)));
}

export function contentTypeOf(definitions: Definitions | undefined, uid: string): ContentTypeSchema | undefined {
  return definitions?.contentTypes.find((type) => type.uid === uid);
}

export function componentOf(definitions: Definitions | undefined, uid: string): ComponentSchema | undefined {
  return definitions?.components.find((component) => component.uid === uid);
}

export function isLocalized(type: ContentTypeSchema): boolean {
  const settings = type.pluginOptions?.i18n as { localized?: boolean } | undefined;
  return settings?.localized === true;
}

export function hasDrafts(type: ContentTypeSchema): boolean {
  return type.options?.draftAndPublish === true;
}
