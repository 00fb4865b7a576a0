/** Where the pages lie, as the service has written it into `<base>`; without a slash at the end. */
export const BASE: string = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** The content-type manager's address of a content-type: a list, or a form. */
export function contentAddress(uid: string, kind: 'collectionType' | 'singleType'): string {
  return `${BASE}/content-manager/${kind === 'collectionType' ? 'collection-types' : 'single-types'}/${uid}`;
}

export function entryAddress(uid: string, id: number | string): string {
  return `${BASE}/content-manager/collection-types/${uid}/${id}`;
}
