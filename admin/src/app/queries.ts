/** Responses are cached for a while, shown at once, and refreshed in the background. */
import { QueryClient } from '@tanstack/svelte-query';
import { ApiError } from '../api/errors';

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      retry: (count, error) => count < 2 && !isRefused(error),
      refetchOnWindowFocus: 'always',
      // Otherwise, properties that were not read yet cause no update: a condition that reads `error` first would miss
      // `data`.
      notifyOnChangeProps: 'all',
    },
  },
});
