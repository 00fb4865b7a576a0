/** What was read is kept for a while, shown at once when it is wanted again, and read anew behind that. */
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
      // Else what nobody has looked at yet is never told: a condition that reads `error` first would not see `data` come.
      notifyOnChangeProps: 'all',
    },
  },
});
