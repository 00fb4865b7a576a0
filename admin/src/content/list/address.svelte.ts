/** The state of a list in the page's URL, in v4's parameters. */
import { navigate, route } from '../../app/router';
import { NO_FILTERS, readFilters, writeFilters, type Filters } from './filters';

/** Null means that the URL has no such parameter, so the view's settings or the server's defaults apply. */
export interface ListState {
  page: number;
  pageSize: number | null;
  /** For example `name:ASC`. */
  sort: string | null;
  search: string;
  locale: string | null;
  filters: Filters;
}

const LOCALE = 'plugins[i18n][locale]';
export const MOST_PER_PAGE = 1000;

export function readState(search: string): ListState {
  const params = new URLSearchParams(search);
  return {
    page: wholeNumber(params.get('page'), Number.MAX_SAFE_INTEGER) ?? 1,
    pageSize: wholeNumber(params.get('pageSize'), MOST_PER_PAGE),
    sort: params.get('sort') || null,
    search: params.get('_q') ?? '',
    locale: params.get(LOCALE) || null,
    filters: readFilters(params),
  };
}

/** Return the query string with its question mark; empty for the default state. */
export function writeState(state: ListState): string {
  const params = new URLSearchParams();
  if (state.page > 1) params.set('page', String(state.page));
  if (state.pageSize !== null) params.set('pageSize', String(state.pageSize));
  if (state.sort !== null) params.set('sort', state.sort);
  if (state.search) params.set('_q', state.search);
  if (state.locale !== null) params.set(LOCALE, state.locale);
  for (const [key, value] of writeFilters(state.filters)) params.append(key, value);
  const text = params.toString();
  return text ? `?${text}` : '';
}

/** Return the state in the current URL, reactively. */
export function presentState(): ListState {
  void route.search;
  return readState(location.search);
}

/** Change the list's state. Unless `change` sets a page, the first one is shown. `replace` adds no history entry. */
export function show(change: Partial<ListState>, replace = false): void {
  showSearch(writeState({ ...presentState(), page: 1, ...change }), replace);
}

export function showSearch(search: string, replace = false): void {
  void navigate(route.pathname as '/', { search, replace, scrollToTop: false });
}

export const EVERYTHING: Partial<ListState> = { search: '', filters: NO_FILTERS };

function wholeNumber(text: string | null, most: number): number | null {
  const found = Number(text);
  return Number.isSafeInteger(found) && found >= 1 && found <= most ? found : null;
}
