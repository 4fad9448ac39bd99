/** A request for a group version that another server answers, as an APIService says. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Aggregation } from '../../../aggregation/aggregation.ts';
import type { RemoteServers } from '../../../aggregation/remote-servers.ts';
import type { RemoteVersion } from '../../../aggregation/remote-version.ts';
import { type Address, ServiceError } from '../../../aggregation/service-address.ts';
import type { Identity } from '../../../contract/identity.ts';
import type { Log } from '../../../observability/log.ts';
import type { Metrics } from '../../../observability/metrics.ts';
import { WeakCertificates } from '../../../outbound/weak-certificates.ts';
import { sendPlain, serverRelay } from './server-relay.ts';

export interface RemoteHandlerServer {
  readonly aggregation: Aggregation;
  /** clients are not told where other servers would have them go */
  readonly refusesRedirects: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly identity: Identity;
}

export function remoteVersionHandler(server: RemoteHandlerServer) {
  const weakCertificates = new WeakCertificates(server.metrics, 'kube_aggregator', server.identity);
  const relay = serverRelay({
    refusesRedirects: server.refusesRedirects,
    failed: (error, host, request) => weakCertificates.note(error, host, request),
  });
  return async (context: Context, remote: RemoteVersion): Promise<void> => {
    const servers = await server.aggregation.servers();
    const refused = hopsOf(context.req) > MOST_HOPS ? LOOP : refusal(servers, remote, server.log);
    if ('status' in refused) return sendPlain(context, refused.status, `${refused.text}\n`);
    return relay(context, { remote, address: refused, servers });
  };
}

/** Servers that a request may have come by: one more takes it for one that goes round among servers that lead to each other. */
const MOST_HOPS = 32;

/** Each server on the way has added an address. */
function hopsOf({ headers }: IncomingMessage): number {
  const addresses = headers['x-forwarded-for'];
  return addresses === undefined ? 0 : String(addresses).split(',').length;
}

interface Refused {
  readonly status: 500 | 503 | 508;
  readonly text: string;
}

/** Why nobody is asked, or who is. */
function refusal(servers: RemoteServers, remote: RemoteVersion, log: Log): Refused | Address {
  if (!remote.available) return UNAVAILABLE;
  try {
    servers.checkTrust(remote);
  } catch (error) {
    if (error instanceof ServiceError) return { status: 500, text: error.message };
    throw error;
  }
  try {
    return servers.address(remote);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.debug({ err: error, apiService: remote.name }, 'the service of another API server leads nowhere');
    return UNAVAILABLE;
  }
}

const LOOP: Refused = { status: 508, text: 'API servers lead to each other' };
const UNAVAILABLE: Refused = { status: 503, text: 'service unavailable' };
