/** URLs of the service below the path of its public URL. */

/** This path, which the service writes into the page: empty, or such as `/cms`. */
const ROOT: string = document.documentElement.dataset.root ?? '';

/** The URL of a path of the service: of an API or a file. Absolute URLs, such as a CDN's, stay as they are. */
export function publicUrl(path: string): string {
  return /^\/(?!\/)/.test(path) ? ROOT + path : path;
}
