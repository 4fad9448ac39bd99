/** Keeps the objects by which others find this server and know its clients, after it is ready: nobody has to wait for them. */

import { proxyHeaderNames } from '../authentication/configuration/authentication-flags.ts';
import { AddressRange } from '../registry/allocation/address-range.ts';
import type { ServerCertificates } from '../server/serving-certificates.ts';
import { reachableAddress } from '../server/serving-names.ts';
import type { ClientAuthentication } from '../system-objects/client-authentication.ts';
import type { OwnPlace } from '../system-objects/own-service.ts';
import type { ApiServer } from './api-server.ts';
import type { Flags } from './flags.ts';

/** Milliseconds, as in 1.32. */
const INTERVAL = 10_000;

/** @param certificates those that are in force. @returns waits for the round under way, and begins no more */
export async function keepOwnObjects(
  server: ApiServer,
  flags: Flags,
  port: number,
  certificates: () => ServerCertificates,
): Promise<() => Promise<void>> {
  const [{ keepObjects }, { ownService, ownEndpoints }, { clientAuthenticationMap }, { tokenTrackingMap }] = await Promise.all([
    import('../system-objects/keep.ts'),
    import('../system-objects/own-service.ts'),
    import('../system-objects/client-authentication.ts'),
    import('../system-objects/token-tracking.ts'),
  ]);
  const { identity } = server;
  const place = placeOf(flags, port);
  const service = ownService(identity, place);
  const endpoints = flags['endpoint-reconciler-type'] === 'none' ? [] : ownEndpoints(identity, place);
  let first = true;
  const objects = () => {
    // as in 1.32 the service is brought into line at the start alone; later it is made again where it is missing
    const { repair, ...unrepaired } = service;
    const kept = first ? service : unrepaired;
    first = false;
    const clients = clientAuthenticationMap(identity, authenticationOf(flags, certificates(), server));
    return [kept, ...endpoints, clients, tokenTrackingMap(identity, Date.now())];
  };
  return keepObjects(server, { objects, interval: INTERVAL, basis: certificates });
}

function placeOf(flags: Flags, port: number): OwnPlace {
  const address = reachableAddress(flags['advertise-address'], flags['bind-address']);
  const [range] = flags['service-cluster-ip-range'];
  return {
    serviceAddress: new AddressRange(range as string).at(0),
    port,
    nodePort: flags['kubernetes-service-node-port'],
    ...(address !== undefined && { address }),
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
