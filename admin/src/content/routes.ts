/** URLs of content pages, as in v4's panel. */
import { configureRoutes } from './configure/routes';
import { entryRoutes } from './entry/routes';
import { listRoutes } from './list/routes';

export const contentRoutes = { ...listRoutes, ...entryRoutes, ...configureRoutes } as const;
