import { BASE } from '../app/addresses';

/** Leave the address of a form that is done, whose secret must not stay in the address. */
export function leaveForm(): void {
  history.replaceState(null, '', `${BASE}/`);
}

export function addressParameter(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? '';
}
