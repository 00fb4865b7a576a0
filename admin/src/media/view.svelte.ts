/** The layout of the library, remembered in this browser. */
export type LibraryView = 'grid' | 'list';
const KEY = 'octavo.media.view';

export const shown = $state<{ view: LibraryView }>({ view: localStorage.getItem(KEY) === 'list' ? 'list' : 'grid' });

export function showAs(view: LibraryView): void {
  shown.view = view;
  localStorage.setItem(KEY, view);
}
