/** Where the pages lie, as the service has written it into `<base>`; without a slash at the end. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** The content-type manager's address of a content-type: a list, or a form. */
export function contentAddress(uid: string, kind: 'collectionType' | 'singleType'): string {
  return `${BASE}/content-manager/${kind === 'collectionType' ? 'collection-types' : 'single-types'}/${uid}`;
}

export function entryAddress(uid: string, id: number | string): string {
  return `${BASE}/content-manager/collection-types/${uid}/${id}`;
}

/**
 * From the pages for those who are not in (whose secrets must not stay in the address) to where somebody wanted to go:
 * v4's `redirectTo`, if it is a page of ours, or the first page.
 */
export function leaveEntrance(): void {
  const here = new URL(location.href);
  if (!here.pathname.startsWith(`${BASE}/auth`)) return;
  const wanted = here.searchParams.get('redirectTo') ?? '/';
  const isOurs = /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/auth');
  history.replaceState(null, '', `${BASE}${isOurs ? wanted : '/'}`);
}
