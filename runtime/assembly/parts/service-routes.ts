/** Where services of webhooks and of other API servers are reached: `--enable-aggregator-routing` is about both, as in 1.32. */
import { byEndpoints, byService, type FindObject } from '../../aggregation/service-address.ts';
import type { OwnPlace, ServiceRoutes } from '../../outbound/webhook-client.ts';
import type { Flags } from '../setup/flags.ts';

export function serviceRoutes(flags: Pick<Flags, 'enable-aggregator-routing'>, find: FindObject, itself?: OwnPlace): ServiceRoutes {
  const changesPorts = flags['enable-aggregator-routing'];
  return { resolve: changesPorts ? byEndpoints(find) : byService(find), changesPorts, ...(itself && { itself }) };
}
