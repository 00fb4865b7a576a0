/** The two kinds of tokens, which have the same pages. */
import { call } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { NewToken, Token } from '../../api/operations';
import type { MessageKey } from '../../messages/index.svelte';

export interface TokenKind {
  path: string;
  /** The prefix of permissions, such as `admin::api-tokens`. */
  action: string;
  title: MessageKey;
  hint: MessageKey;
  add: MessageKey;
  /** Null: these tokens are disabled. */
  all: (signal: AbortSignal) => Promise<Token[] | null>;
  one: (id: string, signal: AbortSignal) => Promise<Token>;
  make: (body: NewToken) => Promise<Token>;
  change: (id: number, body: NewToken) => Promise<unknown>;
  renew: (id: number) => Promise<string>;
  remove: (id: number) => Promise<unknown>;
}

export const API_TOKENS: TokenKind = {
  path: '/settings/api-tokens',
  action: 'admin::api-tokens',
  title: 'settings.apiTokens',
  hint: 'tokens.hint',
  add: 'tokens.add',
  all: async (signal) => (await call('GET /admin/api-tokens', { signal })).data,
  one: async (id, signal) => (await call('GET /admin/api-tokens/:id', { path: { id }, signal })).data,
  make: async (body) => (await call('POST /admin/api-tokens', { body })).data,
  change: (id, body) => call('PUT /admin/api-tokens/:id', { path: { id }, body }),
  renew: async (id) => (await call('POST /admin/api-tokens/:id/regenerate', { path: { id } })).data.accessKey,
  remove: (id) => call('DELETE /admin/api-tokens/:id', { path: { id } }),
};

/** Without their secret, the service has no such endpoints. */
function nothingIfOff(error: unknown): { data: null } {
  if (error instanceof ApiError && error.status === 404) return { data: null };
  throw error;
}

export const TRANSFER_TOKENS: TokenKind = {
  path: '/settings/transfer-tokens',
  action: 'admin::transfer.tokens',
  title: 'settings.transferTokens',
  hint: 'tokens.transfer.hint',
  add: 'tokens.addTransfer',
  all: async (signal) => (await call('GET /admin/transfer/tokens', { signal }).catch(nothingIfOff)).data,
  one: async (id, signal) => (await call('GET /admin/transfer/tokens/:id', { path: { id }, signal })).data,
  make: async (body) => (await call('POST /admin/transfer/tokens', { body })).data,
  change: (id, body) => call('PUT /admin/transfer/tokens/:id', { path: { id }, body }),
  renew: async (id) => (await call('POST /admin/transfer/tokens/:id/regenerate', { path: { id } })).data.accessKey,
  remove: (id) => call('DELETE /admin/transfer/tokens/:id', { path: { id } }),
};

export const DAY = 86_400_000;
export const LIFESPANS = [7, 30, 90] as const;
