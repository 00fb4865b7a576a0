/** Change the texts of files, and replace files. */
import { call } from '../api/client';
import type { MediaFile, Privacy } from '../api/operations';
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

/** A point in an image, as fractions of its width and height. */
export interface Point {
  x: number;
  y: number;
}
export const CENTRE: Point = { x: 0.5, y: 0.5 };

/** Return the focal point, or null if it is missing or has another format. */
export function focalPointOf({ provider_metadata: metadata }: Pick<MediaFile, 'provider_metadata'>): Point | null {
  const { x, y } = (metadata?.focalPoint ?? {}) as Partial<Record<keyof Point, unknown>>;
  return isFraction(x) && isFraction(y) ? { x, y } : null;
}
const isFraction = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;

export async function privacyOf(id: number, signal: AbortSignal): Promise<Privacy> {
  return (await call('GET /octavo/files/:id/privacy', { path: { id }, signal })).data;
}

export function savePrivacy(id: number, isPrivate: boolean): Promise<MediaFile> {
  return call('PUT /octavo/files/:id/privacy', { path: { id }, body: { private: isPrivate } });
}

export function saveFocalPoint(id: number, focalPoint: Point | null): Promise<MediaFile> {
  return call('PUT /octavo/files/:id/focal-point', { path: { id }, body: { focalPoint } });
}
