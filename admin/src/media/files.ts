/** What is said of a file, and another file in its place. */
import { call } from '../api/client';
import type { MediaFile } from '../api/operations';
import { upload } from '../api/upload';

export interface FileWords {
  name: string;
  alternativeText: string;
  caption: string;
  folder: number | null;
}

function infoOf(words: FileWords): string {
  const { name, alternativeText, caption, folder } = words;
  return JSON.stringify({ name, alternativeText: alternativeText || null, caption: caption || null, folder });
}

export async function saveFile(id: number, words: FileWords): Promise<MediaFile> {
  const body = new FormData();
  body.append('fileInfo', infoOf(words));
  return (await call('POST /upload', { query: { id }, body })) as MediaFile;
}

export async function replaceFile(id: number, file: File, words: FileWords): Promise<MediaFile> {
  const form = new FormData();
  form.append('files', file);
  form.append('fileInfo', infoOf(words));
  return (await upload(`/upload?id=${id}`, form, () => undefined)) as MediaFile;
}
