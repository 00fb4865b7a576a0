/** Uploads to the library: a few at once, each with its progress. They can be stopped and repeated. */
import type { MediaFile } from '../api/operations';
import { upload } from '../api/upload';
import { ApiError } from '../api/errors';
import { libraryChanged } from './library';

export interface Upload {
  id: number;
  file: File;
  folder: number | null;
  /** 0 to 1. */
  done: number;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  problem: string;
  result: MediaFile | null;
}

const AT_ONCE = 3;
let count = 0;
const stops = new Map<number, AbortController>();
const listeners = new Map<number, (file: MediaFile) => void>();

export const uploads = $state<Upload[]>([]);

/** Send files. `ondone` is called for each finished upload. */
export function send(files: Iterable<File>, folder: number | null, ondone?: (file: MediaFile) => void): void {
  for (const file of files) {
    const id = ++count;
    if (ondone) listeners.set(id, ondone);
    uploads.push({ id, file, folder, done: 0, state: 'waiting', problem: '', result: null });
  }
  next();
}

export function stop(id: number): void {
  stops.get(id)?.abort();
  remove(id);
}

export function again(id: number): void {
  const found = uploads.find((one) => one.id === id);
  if (found) Object.assign(found, { state: 'waiting', problem: '', done: 0 });
  next();
}

export function clearDone(): void {
  for (const { id } of uploads.filter((one) => one.state === 'done')) remove(id);
}

function remove(id: number): void {
  const at = uploads.findIndex((one) => one.id === id);
  if (at >= 0) uploads.splice(at, 1);
  listeners.delete(id);
}

function next(): void {
  const free = AT_ONCE - uploads.filter((one) => one.state === 'sending').length;
  for (const one of uploads.filter((found) => found.state === 'waiting').slice(0, Math.max(0, free))) void run(one);
}

async function run(one: Upload): Promise<void> {
  const stopping = new AbortController();
  stops.set(one.id, stopping);
  one.state = 'sending';
  const form = new FormData();
  form.append('files', one.file);
  form.append('fileInfo', JSON.stringify({ name: one.file.name, alternativeText: null, caption: null, folder: one.folder }));
  try {
    const [result] = (await upload('/upload', form, (done) => (one.done = done), stopping.signal)) as MediaFile[];
    one.result = result ?? null;
    one.state = 'done';
    if (result) listeners.get(one.id)?.(result);
    await libraryChanged();
  } catch (error) {
    one.state = 'failed';
    one.problem = error instanceof ApiError ? error.message : String(error);
  } finally {
    stops.delete(one.id);
    next();
  }
}
