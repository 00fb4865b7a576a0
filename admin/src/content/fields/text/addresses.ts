const SAFE = /^(https?:|mailto:|tel:|[/#?.]|[^:]*$)/i;

/** Whether a URL can be followed, which excludes scripts. */
export function isSafe(url: string): boolean {
  // eslint-disable-next-line no-control-regex -- browsers ignore these
  return SAFE.test(url.replace(/[\u0000-\u0020]/g, ''));
}
