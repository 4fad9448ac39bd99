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

/** The flags that name files. An empty text means that the flag is not given. */
export interface DelegatingServerFlags {
  readonly kubeconfig: string;
  readonly 'authentication-kubeconfig': string;
  readonly 'authorization-kubeconfig': string;
}

/**
 * By the file of a flag. Without one it is the server of the pod, by the pod's account, and outside of pods the server of another flag's file: these are
 * mostly one.
 * @throws FileError for a file that is wrong; Error that names the flag where nothing says where the server is
 */
export async function delegatingServer(
  flag: keyof DelegatingServerFlags,
  flags: DelegatingServerFlags,
  { identity, fileKinds }: DelegatingServerParts,
): Promise<Peer> {
  const ofFile = async (file: string): Promise<Peer> => peerOf((await (await fileKinds()).read(file, CONFIG)).object, file, identity);
  if (flags[flag] !== '') return ofFile(flags[flag]);
  try {
    return inClusterConnection(identity).connection;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const other = flags.kubeconfig || flags['authentication-kubeconfig'] || flags['authorization-kubeconfig'];
    if (other !== '') return ofFile(other);
    throw new Error(`--${flag} names no file, and this runs in no pod: ${error.message}`, { cause: error });
  }
}

/** Makes a peer for a path of the API of the same server. */
export const atPath = (peer: Peer, path: string): Peer => ({ ...peer, server: `${String(peer.server).replace(/\/$/, '')}${path}` });
