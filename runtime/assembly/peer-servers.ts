/** The other servers of the same etcd that requests are passed on to. It is loaded only if --peer-ca-file is set. */
import { hostname } from 'node:os';
import { type PeerParts, PeerServers } from '../aggregation/peer-servers.ts';
import type { Identity } from '../contract/identity.ts';
import { identityName } from '../controllers/election/identity-lease.ts';
import { storageVersionResources } from '../controllers/storage-versions/storage-version-updates.ts';
import { readFlagFile } from '../files/flag-file.ts';
import type { Registry } from '../registry/resources/registry.ts';

interface PeerServer extends Pick<PeerParts, 'storage' | 'clientCertificate'> {
  readonly identity: Identity;
  readonly registry: Registry;
}

const FLAG = 'peer-ca-file';

/**
 * @param file of the authorities that peers are trusted by
 * @returns undefined where the objects are not served by which servers publish what they serve
 * @throws Error that names the flag and the file
 */
export function openPeers(file: string, server: PeerServer): PeerServers | undefined {
  const { identity, storage, clientCertificate } = server;
  const storageVersions = storageVersionResources(server)?.storageVersions;
  if (storageVersions === undefined) return undefined;
  const authorities = readFlagFile(FLAG, file);
  // an empty bundle would stand for the authorities that Node knows
  if (authorities === '') throw new Error(`--${FLAG}: ${file} is empty`);
  try {
    return new PeerServers({
      storage,
      storageVersions,
      self: identityName(identity, hostname()),
      serviceName: identity.text('${defaultService}'),
      authorities,
      clientCertificate,
    });
  } catch (error) {
    throw new Error(`--${FLAG}: ${file}: ${(error as Error).message}`, { cause: error });
  }
}
