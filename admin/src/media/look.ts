/** The view of the library in the URL, for links and the back button. */
import { KINDS, START, type FileOrder, type Kind, type Look } from './library';

export function lookOf(search: string): Look {
  const given = new URLSearchParams(search);
  const number = (name: string, other: number): number => Number(given.get(name)) || other;
  const kind = KINDS.find((found) => found === given.get('kind'));
  return {
    folder: Number(given.get('folder')) || null,
    folderPath: given.get('folderPath'),
    page: number('page', START.page),
    pageSize: number('pageSize', START.pageSize),
    sort: (given.get('sort') as FileOrder | null) ?? START.sort,
    sought: given.get('_q') ?? '',
    kinds: kind ? [kind as Kind] : [],
    isUnused: given.get('usage') === 'unused',
    lacksText: given.get('alternativeText') === 'none',
  };
}

export function lookText(look: Look): string {
  const values = new URLSearchParams();
  if (look.folder !== null) values.set('folder', String(look.folder));
  if (look.folderPath) values.set('folderPath', look.folderPath);
  if (look.page !== START.page) values.set('page', String(look.page));
  if (look.pageSize !== START.pageSize) values.set('pageSize', String(look.pageSize));
  if (look.sort !== START.sort) values.set('sort', look.sort);
  if (look.sought) values.set('_q', look.sought);
  if (look.kinds.length === 1 && look.kinds[0]) values.set('kind', look.kinds[0]);
  if (look.isUnused) values.set('usage', 'unused');
  if (look.lacksText) values.set('alternativeText', 'none');
  const text = values.toString();
  return text ? `?${text}` : '';
}
