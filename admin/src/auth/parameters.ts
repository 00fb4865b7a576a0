/** Return a parameter of the URL, as mails name it. */
export function addressParameter(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? '';
}
