/**
 * Passes requests for resources that this server does not serve on to one that does (KEP-4020), such as one of another release. As in 1.32 that is decided behind
 * authorization.
 */
import type { Context, Next } from 'koa';
import { type AskedResource, PEER_PROXIED, type PeerServers } from '../aggregation/peer-servers.ts';
import { serverRelay } from '../endpoints/handlers/pages/server-relay.ts';
import { requestOf } from '../endpoints/request/client-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { StorageVersionRegistration } from '../registry/storage-versions/storage-version-registration.ts';
import { newServiceUnavailable } from '../status/status.ts';

type KnownPeers = Pick<PeerServers, 'remote' | 'serving' | 'addressOf' | 'exchange' | 'isOwnHeader' | 'ownHeaders'>;

/** @param registration before it is complete, this server may serve resources of which it has not said so */
export function peerProxy(
  peers: KnownPeers,
  registration: Pick<StorageVersionRegistration, 'isComplete'>,
  metrics: Pick<Metrics, 'counter'>,
) {
  const relay = serverRelay({ refusesRedirects: false });
  const passed = metrics.counter('apiserver_rerouted_request_total');
  const passOn = async (context: Context, servers: readonly string[]): Promise<void> => {
    const addresses = servers.flatMap((server) => peers.addressOf(server) ?? []);
    const address = addresses[Math.floor(Math.random() * addresses.length)];
    if (address === undefined) throw newServiceUnavailable('Error getting ip and port info of the remote server while proxying');
    const { answer } = requestOf(context);
    try {
      await relay(context, { remote: peers.remote, address, servers: peers });
    } finally {
      passed.inc({ code: String(answer.status) });
    }
  };
  return (context: Context, next: Next): Promise<void> => {
    const { info, registry } = requestOf(context);
    const isOurs = !info.isResource || context.req.headers[PEER_PROXIED] === 'true' || !registration.isComplete;
    if (isOurs || isServed(registry, info)) return next();
    const servers = peers.serving(info);
    return servers.length === 0 ? next() : passOn(context, servers);
  };
}

interface Served {
  resource(group: string, version: string, name: string): object | undefined;
}

const isServed = (registry: Served, { group, version, resource }: AskedResource): boolean =>
  registry.resource(group, version, resource) !== undefined;
