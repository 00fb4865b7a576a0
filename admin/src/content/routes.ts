/** Addresses of this part, as v4's panel has them. */
import { entryRoutes } from './entry/routes';

export const contentRoutes = { ...entryRoutes } as const;
