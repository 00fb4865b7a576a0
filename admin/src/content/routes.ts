/** Addresses of this part, as v4's panel has them. */
import { configureRoutes } from './configure/routes';
import { entryRoutes } from './entry/routes';
import { listRoutes } from './list/routes';

export const contentRoutes = { ...listRoutes, ...entryRoutes, ...configureRoutes } as const;
