/** Checks of etcd's flags, which need no code of the etcd client. */
import type { Flags } from './flags.ts';

/** Whether the flags choose etcd as the store. */
export const isInEtcd = (flags: Pick<Flags, 'etcd-servers'>): boolean => flags['etcd-servers'].length > 0;

const OVERRIDE = /^([^#/]*)\/([^#/]*)#([^#]*)$/;

/**
 * Refuses another etcd for a single resource: watches, controllers and everything else that follows the store need one order of revisions.
 * @throws Error that names the flag
 */
export function assertOneEtcd(flags: Pick<Flags, 'etcd-servers' | 'etcd-servers-overrides'>): void {
  const servers = new Set(flags['etcd-servers']);
  for (const override of flags['etcd-servers-overrides']) {
    const [, group, resource, addresses] = OVERRIDE.exec(override) ?? [];
    if (addresses === undefined)
      throw new Error(
        `--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated: ${JSON.stringify(override)}`,
      );
    if (new Set(addresses.split(';')).symmetricDifference(servers).size === 0) continue;
    const name = group === '' ? resource : `${resource}.${group}`;
    throw new Error(
      `--etcd-servers-overrides: ${name} cannot have an etcd of its own: this server tells all changes in one order, which two etcds do not have. Copy its keys to the etcd of --etcd-servers, such as by etcdctl make-mirror while no server runs, and leave the flag out`,
    );
  }
}
