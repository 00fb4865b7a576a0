/** Definitions of content, read once and kept until they change. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { Definitions, Locale, ToldComponent, ToldContentType, Views } from '../../api/operations';

const KEPT = 5 * 60_000;

export const definitionsKey = ['definitions'] as const;

export function definitionsQuery(): CreateQueryResult<Definitions> {
  return createQuery(() => ({
    queryKey: definitionsKey,
    queryFn: async ({ signal }) => (await call('GET /content-manager/init', { signal })).data,
    staleTime: KEPT,
  }));
}

/** How the list and the form of a content-type look. */
export function viewsQuery(uid: () => string): CreateQueryResult<Views> {
  return createQuery(() => ({
    queryKey: ['views', uid()],
    queryFn: async ({ signal }) =>
      (await call('GET /content-manager/content-types/:uid/configuration', { path: { uid: uid() }, signal })).data,
    staleTime: KEPT,
  }));
}

export function localesQuery(): CreateQueryResult<Locale[]> {
  return createQuery(() => ({
    queryKey: ['locales'],
    queryFn: ({ signal }) => call('GET /i18n/locales', { signal }),
    staleTime: KEPT,
  }));
}

export function contentTypeOf(definitions: Definitions | undefined, uid: string): ToldContentType | undefined {
  return definitions?.contentTypes.find((type) => type.uid === uid);
}

export function componentOf(definitions: Definitions | undefined, uid: string): ToldComponent | undefined {
  return definitions?.components.find((component) => component.uid === uid);
}

export function isLocalized(type: ToldContentType): boolean {
  const settings = type.pluginOptions?.i18n as { localized?: boolean } | undefined;
  return settings?.localized === true;
}

export function hasDrafts(type: ToldContentType): boolean {
  return type.options?.draftAndPublish === true;
}
