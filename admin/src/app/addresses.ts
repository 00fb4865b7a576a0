/** The base path of the pages, from `<base>`, without a slash at the end. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** Return the path of a content type in the content manager: of its list, or of its form. */
export function contentAddress(uid: string, kind: 'collectionType' | 'singleType'): string {
  return `${BASE}/content-manager/${kind === 'collectionType' ? 'collection-types' : 'single-types'}/${uid}`;
}

export function entryAddress(uid: string, id: number | string): string {
  return `${BASE}/content-manager/collection-types/${uid}/${id}`;
}

/**
 * Go from the sign-in pages to the requested page: v4's `redirectTo` if it is one of our pages, or the first page.
 * Replaces the history entry, whose URL can contain secrets.
 */
export function leaveEntrance(): void {
  const here = new URL(location.href);
  if (!here.pathname.startsWith(`${BASE}/auth`)) return;
  const wanted = here.searchParams.get('redirectTo') ?? '/';
  const isOurs = /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/auth');
  history.replaceState(null, '', `${BASE}${isOurs ? wanted : '/'}`);
}
