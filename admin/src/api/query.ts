/** Values as v4 writes them into an address: `filters[$and][0][title][$eq]=x`. */
export type QueryValue = string | number | boolean | null | undefined | readonly QueryValue[] | { readonly [key: string]: QueryValue };

export function queryText(values: { readonly [key: string]: QueryValue } | undefined): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values ?? {})) put(found, name, value);
  const text = found.toString();
  return text ? `?${text}` : '';
}

function put(found: URLSearchParams, name: string, value: QueryValue): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) value.forEach((item, index) => put(found, `${name}[${index}]`, item));
  else if (typeof value === 'object') for (const [key, item] of Object.entries(value)) put(found, `${name}[${key}]`, item);
  else found.append(name, String(value));
}
