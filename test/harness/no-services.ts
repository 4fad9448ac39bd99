import type { ServiceRoutes } from '../../runtime/outbound/webhook-client.ts';

/** Of a cluster that has none. */
export const NO_SERVICES: ServiceRoutes = {
  resolve: ({ name }) => {
    throw new Error(`service "${name}" not found`);
  },
};
