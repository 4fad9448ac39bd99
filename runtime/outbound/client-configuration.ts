/** Where and as whom a client configuration connects: the cluster and the user of its current context. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiObject } from '../contract/object.ts';
import { FileError } from '../files/file-error.ts';
import type { Peer } from './exchange.ts';

/** What stands in the configuration itself in base64, or in a file that it names. */
type Given = Readonly<Record<string, string | boolean | undefined>>;

/**
 * @param configuration a valid object of the kind Config
 * @param file where it was read from: the paths in it are relative to its folder
 * @throws FileError for what is missing, cannot be read, or is not supported here (commands that fetch credentials, proxies)
 */
export function peerOf(configuration: ApiObject, file: string): Peer {
  const context = named(configuration.contexts, configuration['current-context'], 'context');
  const cluster: Given = named(configuration.clusters, context?.cluster, 'cluster') ?? {};
  const user: Given = named(configuration.users, context?.user, 'user') ?? {};
  const server = String(cluster.server ?? '');
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new FileError(file, [`server ${JSON.stringify(server)} is no http or https address`]);
  for (const member of ['exec', 'auth-provider'])
    if (user[member]) throw new FileError(file, [`${member} of the user is not supported here`]);
  if (cluster['proxy-url']) throw new FileError(file, ['proxy-url of the cluster is not supported here']);
  const read = (from: Given, member: string) => dataOf(from, member, file);
  return {
    url,
    tls: {
      ca: read(cluster, 'certificate-authority'),
      cert: read(user, 'client-certificate'),
      key: read(user, 'client-key'),
      ...(cluster['tls-server-name'] && { servername: String(cluster['tls-server-name']) }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
    authorization: authorizationOf(user, file),
  };

  /** Without a current context the only entry counts, as configurations of webhooks are often written. */
  function named(all: ApiObject[] | undefined, name: string | undefined, member: string): ApiObject | undefined {
    const entries = all ?? [];
    if (!name) return entries.length === 1 ? entries[0]?.[member] : undefined;
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) throw new FileError(file, [`it has no ${member} ${JSON.stringify(name)}`]);
    return found[member];
  }
}

/** @returns PEM; undefined where nothing is given. @throws FileError */
function dataOf(given: Given, member: string, file: string): string | undefined {
  const data = given[`${member}-data`];
  if (data) return Buffer.from(String(data), 'base64').toString();
  const named = given[member];
  return named ? readNamed(String(named), file) : undefined;
}

function readNamed(named: string, file: string): string {
  try {
    return readFileSync(path.resolve(path.dirname(file), named), 'utf8');
  } catch (error) {
    throw new FileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}

function authorizationOf(user: Given, file: string): Peer['authorization'] {
  const { token, tokenFile, username, password = '' } = user;
  if (tokenFile) return () => `Bearer ${readNamed(String(tokenFile), file).trim()}`;
  if (token) return () => `Bearer ${token}`;
  if (username) return () => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return undefined;
}
