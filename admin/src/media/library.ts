/** The content of the media library: folders and files, searched, sorted and by page. */
import { createQuery, keepPreviousData, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../api/client';
import type { Folder, FolderBranch, MediaFile, MediaPage, PrivateFolders } from '../api/operations';
import type { QueryValue } from '../api/query';
import { publicUrl } from '../api/root';
import { queries } from '../app/queries';

export const KINDS = ['images', 'videos', 'audios', 'files'] as const;
export type Kind = (typeof KINDS)[number];
export type FileOrder = 'createdAt:DESC' | 'createdAt:ASC' | 'name:ASC' | 'name:DESC' | 'updatedAt:DESC';

/** The view of the library. `folder` null is the top. A search includes nested folders. */
export interface Look {
  folder: number | null;
  folderPath: string | null;
  page: number;
  pageSize: number;
  sort: FileOrder;
  sought: string;
  kinds: readonly Kind[];
  /** Only images without alternative text, including nested folders. */
  lacksText: boolean;
  /** Only files that no entry uses, including nested folders. */
  isUnused: boolean;
}

export const START: Look = { folder: null, folderPath: null, page: 1, pageSize: 24, sort: 'createdAt:DESC', sought: '', kinds: [], lacksText: false, isUnused: false };

const MIMES: Record<Exclude<Kind, 'files'>, string> = { images: 'image', videos: 'video', audios: 'audio' };

/** Return the kind of a file, as in `allowedTypes` of definitions. */
export function kindOf(mime: string): Kind {
  const [start] = mime.split('/');
  return (Object.keys(MIMES) as (keyof typeof MIMES)[]).find((kind) => MIMES[kind] === start) ?? 'files';
}

function kindFilter(kinds: readonly Kind[]): QueryValue[] {
  if (!kinds.length || kinds.length === KINDS.length) return [];
  const named = kinds.filter((kind) => kind !== 'files').map((kind) => ({ mime: { $startsWith: MIMES[kind] } }));
  const others = { $and: Object.values(MIMES).map((start) => ({ mime: { $not: { $startsWith: start } } })) };
  return [{ $or: kinds.includes('files') ? [...named, others] : named }];
}

const LACKS_TEXT: QueryValue = { $or: [{ alternativeText: { $null: true } }, { alternativeText: '' }] };

function filesQuery({ folder, folderPath, page, pageSize, sort, sought, kinds, lacksText, isUnused }: Look): Record<string, QueryValue> {
  const below = folderPath ? [{ folderPath: { $startsWith: folderPath } }] : [];
  const here = folder === null ? { folder: { id: { $null: true } } } : { folder: { id: folder } };
  const filters = [...(sought || lacksText || isUnused ? below : [here]), ...kindFilter(kinds), ...(lacksText ? [LACKS_TEXT] : [])];
  return { page, pageSize, sort, ...(sought && { _q: sought }), ...(isUnused && { usage: 'unused' }), ...(filters.length && { filters: { $and: filters } }) };
}

/** The most files whose texts are saved in one request. */
export const MOST_DESCRIBED = 100;

export function mediaFiles(look: () => Look): CreateQueryResult<MediaPage> {
  return createQuery(() => ({
    queryKey: ['media', 'files', look()],
    queryFn: ({ signal }) => call('GET /upload/files', { query: filesQuery(look()), signal }),
    placeholderData: keepPreviousData,
  }));
}

export function mediaFolders(look: () => Look): CreateQueryResult<Folder[]> {
  return createQuery(() => {
    const { folder, sought } = look();
    const parent = folder === null ? { parent: { id: { $null: true } } } : { parent: { id: folder } };
    const query = { sort: 'name:ASC', ...(sought ? { _q: sought } : { filters: { $and: [parent] } }) };
    return {
      queryKey: ['media', 'folders', folder, sought],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await call('GET /upload/folders', { query, signal })).data,
      placeholderData: keepPreviousData,
    };
  });
}

export function folderTree(): CreateQueryResult<FolderBranch[]> {
  return createQuery(() => ({
    queryKey: ['media', 'tree'],
    queryFn: async ({ signal }) => (await call('GET /upload/folder-structure', { signal })).data,
  }));
}

/** Return the folders from the top to a folder, which is last. */
export function wayTo(tree: readonly FolderBranch[], id: number): FolderBranch[] {
  for (const branch of tree) {
    const below = branch.id === id ? [] : wayTo(branch.children, id);
    if (branch.id === id || below.length) return [branch, ...below];
  }
  return [];
}

/** Return all folders in tree order, each with its depth. */
export function flatTree(tree: readonly FolderBranch[], depth = 0): { branch: FolderBranch; depth: number }[] {
  return tree.flatMap((branch) => [{ branch, depth }, ...flatTree(branch.children, depth + 1)]);
}

export function privateFolders(): CreateQueryResult<PrivateFolders> {
  return createQuery(() => ({
    queryKey: ['media', 'private'],
    queryFn: async ({ signal }) => (await call('GET /octavo/private-folders', { signal })).data,
  }));
}

/** Whether a folder, or one that contains it, is private; false until that is loaded. */
export function folderPrivacy(): (id: number | null) => boolean {
  const tree = folderTree();
  const hidden = privateFolders();
  return (id) => hidden.data !== undefined && isInPrivate(tree.data ?? [], hidden.data, id);
}

/** Whether a folder, or one that contains it, is private. The top never is. */
function isInPrivate(tree: readonly FolderBranch[], { ids }: PrivateFolders, id: number | null): boolean {
  return id !== null && wayTo(tree, id).some((branch) => ids.includes(branch.id));
}

export function libraryChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['media'] });
}

const SMALL = 200;
/** Of a format whose width is unknown. */
const MOST = 10_000;

/** A picture of a file that costs little: its thumbnail or poster, or the file itself where that is small. */
export function thumbnailOf(file: Pick<MediaFile, 'formats' | 'mime' | 'previewUrl' | 'size' | 'url'>): string | null {
  const thumbnail = file.formats?.thumbnail?.url ?? posterOf(file);
  if (thumbnail) return publicUrl(thumbnail);
  return file.mime.startsWith('image/') && file.size <= SMALL ? publicUrl(file.url) : null;
}

/** A frame of a video: the smallest one that a preset makes, or what the provider offers. */
export function posterOf({ formats, mime, previewUrl }: Pick<MediaFile, 'formats' | 'mime' | 'previewUrl'>): string | null {
  if (kindOf(mime) !== 'videos') return null;
  const frames = Object.entries(formats ?? {}).filter(([name, { url }]) => name !== 'placeholder' && url);
  const widthOf = ({ width }: { width?: number }): number => width ?? MOST;
  return frames.sort(([, one], [, other]) => widthOf(one) - widthOf(other))[0]?.[1].url ?? previewUrl;
}

/** The duration of a video, such as `1:05`; undefined where it is unknown. */
export function durationOf({ formats }: Pick<MediaFile, 'formats'>): string | undefined {
  const { duration } = (formats?.video ?? {}) as { duration?: unknown };
  if (typeof duration !== 'number') return undefined;
  const seconds = Math.round(duration);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const padded = (value: number): string => String(value).padStart(2, '0');
  return [...(hours ? [hours, padded(minutes)] : [minutes]), padded(seconds % 60)].join(':');
}

/** A blurred picture of a file, in a data URL, until its thumbnail is loaded. */
export function placeholderOf({ formats }: Pick<MediaFile, 'formats'>): string | null {
  const url = formats?.placeholder?.url;
  return url?.startsWith('data:image/webp;base64,') ? url : null;
}

/** Return the smallest format that is large enough for a preview. */
export function previewOf(file: MediaFile): string | null {
  if (!file.mime.startsWith('image/')) return null;
  return publicUrl(file.formats?.medium?.url ?? file.formats?.small?.url ?? file.url);
}

const DECODED = ['image/jpeg', 'image/png', 'image/webp', 'image/tiff'];
const LARGE = 12_000_000;

/** Whether an image was too large to be decoded, so it has no smaller formats. Animations are smaller. */
export function isTooLarge({ mime, width, height, formats }: MediaFile): boolean {
  return DECODED.includes(mime) && (width ?? 0) * (height ?? 0) > LARGE && !formats?.thumbnail;
}

/** `312 byte`, `12.3 kB`, `4 MB`: of kilobytes. */
export function sizeText(kilobytes: number, language: string): string {
  const [value, unit] =
    kilobytes < 1 ? [Math.round(kilobytes * 1000), 'byte'] : kilobytes < 1000 ? [kilobytes, 'kilobyte'] : [kilobytes / 1000, 'megabyte'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}
