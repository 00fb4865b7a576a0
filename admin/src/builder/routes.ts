/** Addresses of this part, as v4's panel has them. */
export const builderRoutes = {} as const;
