import type { MediaFile } from '../api/operations';

/** A part of an image, as fractions of its sides. */
export interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
}

const LEAST = 0.02;
const between = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

/** Return the part, moved inside the image. */
export function kept(part: Part): Part {
  const width = between(part.width, LEAST, 1);
  const height = between(part.height, LEAST, 1);
  return { width, height, left: between(part.left, 0, 1 - width), top: between(part.top, 0, 1 - height) };
}

const WRITTEN = ['image/jpeg', 'image/png', 'image/webp'];

/**
 * Return a part of an image as a file, in the same format if browsers can write it. Waits until the image is loaded:
 * missing pixels would be cut out as transparent.
 */
export async function cropped(image: HTMLImageElement, part: Part, { name, mime }: Pick<MediaFile, 'name' | 'mime'>): Promise<File> {
  await image.decode();
  const canvas = document.createElement('canvas');
  const { naturalWidth, naturalHeight } = image;
  canvas.width = Math.max(1, Math.round(part.width * naturalWidth));
  canvas.height = Math.max(1, Math.round(part.height * naturalHeight));
  const context = canvas.getContext('2d');
  const from = [part.left * naturalWidth, part.top * naturalHeight, canvas.width, canvas.height] as const;
  context?.drawImage(image, ...from, 0, 0, canvas.width, canvas.height);
  const type = WRITTEN.includes(mime) ? mime : 'image/png';
  const data = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.92));
  if (!data) throw new Error(`${name} cannot be cut`);
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? [];
  return new File([data], `${stem} (${canvas.width} × ${canvas.height})${type === mime ? extension : '.png'}`, { type });
}
