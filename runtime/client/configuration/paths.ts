/** Paths that a configuration names, which are relative to the folder of the file that states them. */
import path from 'node:path';
import type { Configuration } from './configuration.ts';

export function resolvePaths(configuration: Configuration): Configuration {
  const resolved = (origin: string | undefined, file: string | undefined): string | undefined =>
    origin === undefined || !file || path.isAbsolute(file) ? file : path.join(path.dirname(path.resolve(origin)), file);
  return {
    ...configuration,
    clusters: mapped(configuration.clusters, ({ certificateAuthority, ...cluster }) => ({
      ...cluster,
      ...members({ certificateAuthority: resolved(cluster.origin, certificateAuthority) }),
    })),
    users: mapped(configuration.users, ({ clientCertificate, clientKey, tokenFile, exec, ...user }) => ({
      ...user,
      ...members({
        clientCertificate: resolved(user.origin, clientCertificate),
        clientKey: resolved(user.origin, clientKey),
        tokenFile: resolved(user.origin, tokenFile),
        // a name without a slash is looked up in the folders of PATH
        exec: exec?.command.includes(path.sep) ? { ...exec, command: resolved(user.origin, exec.command) as string } : exec,
      }),
    })),
  };
}

function mapped<T>(entries: ReadonlyMap<string, T>, change: (entry: T) => T): ReadonlyMap<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, change(entry)]));
}

function members<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
