/** The API server that an aggregated one asks: where it is and as whom it is asked, by a file that a flag names or by the pod that this runs in. */
import { ConfigurationError } from '../client/configuration/configuration.ts';
import { inClusterConnection } from '../client/configuration/connection.ts';
import type { Identity } from '../contract/identity.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { peerOf } from './client-configuration.ts';
import type { Peer } from './exchange.ts';

const CONFIG = { group: '', kind: 'Config' };

export interface DelegatingServerParts {
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
}

/**
 * @param flag that names the file
 * @param file '': the server of the pod, by the pod's account
 * @throws FileError for a file that is wrong; Error that names the flag where there is no file, and this runs in no pod
 */
export async function delegatingServer(flag: string, file: string, { identity, fileKinds }: DelegatingServerParts): Promise<Peer> {
  if (file !== '') return peerOf((await (await fileKinds()).read(file, CONFIG)).object, file, identity);
  try {
    return inClusterConnection(identity).connection;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Error(`--${flag} names no file, and this runs in no pod: ${error.message}`, { cause: error });
  }
}

/** The same server, with a path of its API in place of the root. */
export const atPath = (peer: Peer, path: string): Peer => ({ ...peer, server: `${String(peer.server).replace(/\/$/, '')}${path}` });
