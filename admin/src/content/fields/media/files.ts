/** Files of the library, as fields see them. */
import { call } from '../../../api/client';

export interface MediaFile {
  id: number;
  name: string;
  alternativeText?: string | null;
  caption?: string | null;
  url: string;
  mime?: string;
  ext?: string | null;
  /** In kB. */
  size?: number;
  width?: number | null;
  height?: number | null;
  formats?: Record<string, { url: string; width?: number }> | null;
  [more: string]: unknown;
}

export type MediaKind = 'images' | 'videos' | 'audios' | 'files';

export function kindOfFile(mime: string | undefined): MediaKind {
  const [kind] = (mime ?? '').split('/');
  return kind === 'image' ? 'images' : kind === 'video' ? 'videos' : kind === 'audio' ? 'audios' : 'files';
}

/** Whether an attribute takes a file; `files` takes what is none of the others too, and everything, as in v4. */
export function isAllowed(mime: string | undefined, allowed: readonly string[] | undefined): boolean {
  if (!allowed?.length || allowed.includes('file') || allowed.includes('files')) return true;
  return allowed.includes(kindOfFile(mime));
}

const LARGE = 200;

/** A small picture of a file: never a large original. */
export function thumbnailOf(file: MediaFile): string | undefined {
  if (kindOfFile(file.mime) !== 'images') return undefined;
  return file.formats?.thumbnail?.url ?? ((file.size ?? 0) <= LARGE ? file.url : undefined);
}

/** Put files into the library. Throws ApiError. */
export async function upload(files: readonly File[]): Promise<MediaFile[]> {
  const body = new FormData();
  for (const file of files) {
    body.append('files', file);
    body.append('fileInfo', JSON.stringify({ name: file.name, folder: null }));
  }
  return (await call('POST /upload', { body })) as MediaFile[];
}
