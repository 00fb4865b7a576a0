/** Addresses of this part, as v4's panel has them. */
import { entryRoutes } from './entry/routes';
import { listRoutes } from './list/routes';

export const contentRoutes = { ...listRoutes, ...entryRoutes } as const;
