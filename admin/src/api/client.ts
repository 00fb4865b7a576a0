/**
 * Calls to the admin API, typed by operation. The access token is only in memory; the refresh cookie gets a new one. If
 * the session has ended, the user signs in again in a dialog, and the call is repeated.
 */
import { ApiError, readError } from './errors';
import { parseExactly, stringifyExactly } from './exact';
import type { Operations } from './operations';
import { queryText, type QueryValue } from './query';
import { publicUrl } from './root';

export type OperationName = keyof Operations;
export type Answers<Name extends OperationName> = Operations[Name]['answers'];

type PathOption<Name extends OperationName> = Operations[Name]['path'] extends undefined
  ? { path?: undefined }
  : { path: Operations[Name]['path'] };
/** `takes` is unknown if the operation declares no body. */
export type CallOptions<Name extends OperationName> = PathOption<Name> & {
  query?: { readonly [key: string]: QueryValue };
  body?: Operations[Name]['takes'];
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal;
};
type Rest<Name extends OperationName> = Operations[Name]['path'] extends undefined
  ? [options?: CallOptions<Name>]
  : [options: CallOptions<Name>];

let token: string | null = null;
let renewing: Promise<boolean> | null = null;
let enterAgain: () => Promise<boolean> = () => Promise.resolve(false);

export function keepToken(given: string | null): void {
  token = given;
}

export function accessToken(): string | null {
  return token;
}

/** Set the function that asks for the password after a session has ended. It returns whether the user signed in. */
export function onSessionEnd(ask: () => Promise<boolean>): void {
  enterAgain = ask;
}

/** Call an operation. Throws ApiError. */
export async function call<Name extends OperationName>(name: Name, ...[options]: Rest<Name>): Promise<Answers<Name>> {
  const [method, pattern] = name.split(' ') as [string, string];
  const address = addressOf(pattern, options?.path) + queryText(options?.query);
  const body = options?.body instanceof FormData ? options.body : jsonBody(options?.body);
  const response = await authorized(address, { method, body, signal: options?.signal, headers: options?.headers });
  return (await bodyOf(response)) as Answers<Name>;
}

function jsonBody(body: unknown): string | undefined {
  return body === undefined ? undefined : stringifyExactly(body);
}

function addressOf(pattern: string, values: Record<string, string | number> | undefined): string {
  return pattern.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(values?.[key] ?? '')));
}

interface Request {
  method: string;
  body?: string | FormData | undefined;
  signal?: AbortSignal | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

async function authorized(address: string, request: Request): Promise<Response> {
  const sent = token;
  let response = await send(address, request);
  if (response.status !== 401 || sent === null) return response;
  if (token !== sent || (await renew()) || (await enterAgain())) response = await send(address, request);
  return response;
}

async function send(address: string, { method, body, signal, headers: more }: Request): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...more };
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (typeof body === 'string') headers['Content-Type'] = 'application/json';
  try {
    return await fetch(publicUrl(address), { method, headers, body: body ?? null, signal: signal ?? null, credentials: 'same-origin' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'The service cannot be reached', 'Offline');
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const body: unknown = isJson && text ? parseExactly(text) : text || undefined;
  if (!response.ok) throw readError(response.status, body);
  return body;
}

/**
 * Get a new access token with the refresh cookie, and return whether that succeeded. Throws ApiError if the service is
 * unreachable.
 */
export function renew(): Promise<boolean> {
  renewing ??= renewed().finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renewed(): Promise<boolean> {
  const response = await send('/admin/renew-token', { method: 'POST' });
  if (!response.ok) return false;
  const answer = (await bodyOf(response)) as { data: { token: string } };
  token = answer.data.token;
  return true;
}
