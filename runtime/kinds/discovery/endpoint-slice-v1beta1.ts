/**
 * Endpoint slices of the beta version. It has the zone and the node among topology labels; v1 has fields for them, and keeps the other
 * labels without letting anybody write them.
 */
import type { Endpoint } from '../../../generated/discovery/v1/types.ts';
import type { Endpoint as BetaEndpoint } from '../../../generated/discovery/v1beta1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { type TopologyKeys, topologyKeys } from './endpoint-slice.ts';

export function conversion(identity: Identity): ConversionFunctions {
  const keys = topologyKeys(identity);
  return {
    toHub: (object) => eachEndpoint(object, (endpoint: BetaEndpoint) => withoutTopology(endpoint, keys)),
    fromHub: (object) => eachEndpoint(object, (endpoint: Endpoint) => withTopology(endpoint, keys)),
  };
}

function eachEndpoint<From, To>(object: ApiObject, change: (endpoint: From) => To): ApiObject {
  if (object.endpoints) object.endpoints = object.endpoints.map(change);
  return object;
}

/** A node label goes only where it says the same as the field. */
function withoutTopology({ topology, ...endpoint }: BetaEndpoint, keys: TopologyKeys): Endpoint {
  if (topology === undefined) return endpoint;
  const { [keys.zone]: zone, ...rest } = topology;
  if (endpoint.nodeName !== undefined && rest[keys.node] === endpoint.nodeName) delete rest[keys.node];
  return {
    ...endpoint,
    ...(Object.keys(rest).length > 0 && { deprecatedTopology: rest }),
    ...(zone !== undefined && { zone }),
  };
}

/** A node label that says something else than the field stays as it is. */
function withTopology({ deprecatedTopology, zone, ...endpoint }: Endpoint, keys: TopologyKeys): BetaEndpoint {
  const node = deprecatedTopology?.[keys.node] || endpoint.nodeName;
  const topology = {
    ...deprecatedTopology,
    ...(zone !== undefined && { [keys.zone]: zone }),
    ...(node !== undefined && { [keys.node]: node }),
  };
  if (Object.keys(topology).length === 0) return endpoint;
  return { ...endpoint, topology: Object.fromEntries(Object.entries(topology).sort(([a], [b]) => (a < b ? -1 : 1))) };
}
