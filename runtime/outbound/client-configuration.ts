/** Reads a client configuration from a file that this server was given: where it connects, and as whom. */
import { type Configuration, ConfigurationError } from '../client/configuration/configuration.ts';
import { readConfiguration } from '../client/configuration/configuration-object.ts';
import { connectionOf } from '../client/configuration/connection.ts';
import { resolvePaths } from '../client/configuration/paths.ts';
import { type Overrides, resolveConfiguration } from '../client/configuration/resolve.ts';
import type { Tunnel } from '../client/transport/tunnel.ts';
import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import { FileError } from '../files/file-error.ts';
import type { Peer } from './exchange.ts';

/**
 * @param object a valid object of the kind Config
 * @param file where it was read from: the paths in it are relative to its folder
 * @param tunnel by which it is reached; absent: directly, or as the file says
 * @throws FileError for what is missing, cannot be read, or excludes each other
 */
export function peerOf(object: ApiObject, file: string, identity: Pick<Identity, 'text'>, tunnel?: Tunnel): Peer {
  try {
    const configuration = resolvePaths(readConfiguration(object, file));
    const resolved = resolveConfiguration(configuration, { identity, overrides: onlyEntries(configuration) });
    // nobody sits at a server
    const connection = connectionOf(resolved, { identity, stdinUnavailable: '' });
    const { protocol } = new URL(connection.server);
    if (!/^https?:$/.test(protocol)) throw new ConfigurationError(`server ${JSON.stringify(resolved.host)} is no http or https address`);
    return { ...connection, ...(tunnel && { tunnel }) };
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof TypeError) throw new FileError(file, [error.message]);
    throw error;
  }
}

/** Chooses the only entries of a configuration without a current context, which configurations of webhooks often are. */
function onlyEntries({ currentContext, clusters, users, contexts }: Configuration): Overrides {
  if (currentContext !== '') return {};
  const only = <T>(entries: ReadonlyMap<string, T>): string | undefined => (entries.size === 1 ? [...entries.keys()][0] : undefined);
  const context = only(contexts);
  if (context !== undefined) return { currentContext: context };
  const [cluster, user] = [only(clusters), only(users)];
  return { context: { ...(cluster !== undefined && { cluster }), ...(user !== undefined && { user }) } };
}
