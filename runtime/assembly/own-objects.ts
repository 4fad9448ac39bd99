/**
 * Keeps the objects that tell clients how to reach this server and other servers how to authenticate its clients. The server is ready
 * before they exist.
 */
import { hostname } from 'node:os';
import { proxyHeaderNames } from '../authentication/configuration/authentication-flags.ts';
import { AddressRange } from '../registry/allocation/address-range.ts';
import { reachableAddress } from '../server/certificates/serving-names.ts';
import type { ServerCertificates } from '../server/listener/serving-certificates.ts';
import type { ClientAuthentication } from '../system-objects/client-authentication.ts';
import type { LiveServers } from '../system-objects/live-servers.ts';
import type { OwnPlace } from '../system-objects/own-service.ts';
import type { ApiServer } from './parts/api-server.ts';
import { isInEtcd } from './setup/etcd-flags.ts';
import type { Flags } from './setup/flags.ts';
import { peerSettings } from './setup/peer-flags.ts';

/** Milliseconds between two rounds, as in 1.32. */
const INTERVAL = 10_000;

/**
 * @param certificates returns the certificates in force
 * @returns a function that removes the server from the objects that lead to it, once, and ends the rounds; it never rejects
 */
export async function keepOwnObjects(
  server: ApiServer,
  flags: Flags,
  port: number,
  certificates: () => ServerCertificates,
): Promise<() => Promise<void>> {
  const [{ keepObjects }, { ownService }, { clientAuthenticationMap }, { tokenTrackingMap }] = await Promise.all([
    import('../system-objects/keep.ts'),
    import('../system-objects/own-service.ts'),
    import('../system-objects/client-authentication.ts'),
    import('../system-objects/token-tracking.ts'),
  ]);
  const { identity } = server;
  const service = ownService(identity, placeOf(flags, port));
  let first = true;
  const objects = () => {
    // As in 1.32 the service is repaired only at the start. Later it is only created again if it is missing.
    const { repair, ...unrepaired } = service;
    const kept = first ? service : unrepaired;
    first = false;
    const clients = clientAuthenticationMap(identity, authenticationOf(flags, certificates(), server));
    return [kept, clients, tokenTrackingMap(identity, Date.now())];
  };
  const stops = [
    keepObjects(server, { objects, interval: INTERVAL, basis: certificates }),
    await leadToServers(server, flags, port),
    await tellPeers(server, flags, port),
  ];
  let stopped: Promise<unknown> | undefined;
  return async () => {
    stopped ??= Promise.all(stops.map((stop) => stop()));
    await stopped;
  };
}

function placeOf(flags: Flags, port: number): OwnPlace {
  const [range] = flags['service-cluster-ip-range'];
  return { serviceAddress: new AddressRange(range as string).at(0), port, nodePort: flags['kubernetes-service-node-port'] };
}

/** Keeps the endpoints of the service that leads to the servers of this store. @returns a function that removes this server from them */
async function leadToServers(server: ApiServer, flags: Flags, port: number): Promise<() => Promise<void>> {
  const address = reachableAddress(flags['advertise-address'], flags['bind-address']);
  if (address === undefined || flags['endpoint-reconciler-type'] === 'none') return async () => {};
  const [{ keepObjects }, { ensureObjects }, { ownEndpoints }] = await Promise.all([
    import('../system-objects/keep.ts'),
    import('../system-objects/ensure.ts'),
    import('../system-objects/own-service.ts'),
  ]);
  const { identity, log } = server;
  const servers = await liveServers(server, flags, address);
  let repairsPort = true;
  const objects = async () => {
    const found = ownEndpoints(identity, { addresses: await servers.renew(), port, repairsPort });
    repairsPort = false;
    return found;
  };
  const stop = keepObjects(server, { objects, interval: INTERVAL, ...(servers.expires && { basis: () => ({}) }) });
  return async () => {
    await stop();
    try {
      const addresses = await servers.leave();
      if (addresses !== undefined) await ensureObjects(server, ownEndpoints(identity, { addresses, port, repairsPort: false }));
    } catch (error) {
      log.error({ err: error, address }, 'the service of the API may lead to this server for some seconds after its end');
    }
  };
}

async function liveServers(server: ApiServer, flags: Flags, address: string): Promise<LiveServers> {
  const { countedServers, leasedServers, loneServer } = await import('../system-objects/live-servers.ts');
  if (flags['endpoint-reconciler-type'] === 'master-count') {
    const { storedEndpoints } = await import('../system-objects/own-service.ts');
    return countedServers(address, flags['apiserver-count'], () => storedEndpoints(server, server.identity));
  }
  return isInEtcd(flags) ? leasedServers(server, address) : loneServer(address);
}

/**
 * Tells other servers of the same store where they reach this one, from when it has published what it serves.
 * @returns a function that takes that back
 */
async function tellPeers(server: ApiServer, flags: Flags, port: number): Promise<() => Promise<void>> {
  const { featureEnabled, identity, log, storageVersions } = server;
  const settings = peerSettings(flags, featureEnabled);
  const address = reachableAddress(flags['advertise-address'], flags['bind-address']);
  const place = settings?.advertised ?? (address === undefined ? undefined : { ip: address, port });
  if (storageVersions === undefined || settings === undefined || place === undefined) return async () => {};
  const [{ keepObjects }, { peerLease }, { identityName }] = await Promise.all([
    import('../system-objects/keep.ts'),
    import('../system-objects/peer-lease.ts'),
    import('../controllers/election/identity-lease.ts'),
  ]);
  const lease = peerLease(server, identityName(identity, hostname()), place);
  let stop: (() => Promise<void>) | undefined;
  let isLeft = false;
  void storageVersions.completion.then(() => {
    if (!isLeft) stop = keepObjects(server, { objects: () => lease.renew().then(() => []), interval: INTERVAL, basis: () => ({}) });
  });
  return async () => {
    isLeft = true;
    await stop?.();
    await lease.remove().catch((error) => log.error({ err: error }, 'other servers may pass requests on to this one for some seconds'));
  };
}

function authenticationOf(
  flags: Flags,
  { clientAuthorities, proxyAuthorities }: ServerCertificates,
  { identity, featureEnabled }: ApiServer,
): ClientAuthentication {
  const { username, uid, group, extraPrefix } = proxyHeaderNames(flags, identity);
  return {
    clientAuthorities: clientAuthorities.join('\n'),
    ...(proxyAuthorities !== undefined && {
      proxies: {
        authorities: proxyAuthorities,
        allowedNames: flags['requestheader-allowed-names'],
        usernameHeaders: username,
        groupHeaders: group,
        extraHeaderPrefixes: extraPrefix,
        ...(featureEnabled('RemoteRequestHeaderUID') && { uidHeaders: uid }),
      },
    }),
  };
}
