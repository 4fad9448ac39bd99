/** An APIService for each group version that this server answers itself. */
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { deepEqual } from '../schema/equal.ts';
import type { SystemObject } from './system-object.ts';

const MANAGED = 'kube-aggregator.${labelDomain}/automanaged';
/** Those that a start makes, repairs and removes, and those that come and go while the server runs. */
const VALUES = { atStart: 'onstart', always: 'true' } as const;
type Managed = keyof typeof VALUES;

export function managedLabel(identity: Identity, managed: Managed): Record<string, string> {
  return { [identity.text(MANAGED)]: VALUES[managed] };
}

/** Whether the server keeps it: one that lost the label is its owner's. */
export function isManaged({ metadata }: ApiObject, identity: Identity, managed: Managed): boolean {
  return metadata.labels?.[identity.text(MANAGED)] === VALUES[managed];
}

export function apiServiceResource({ text }: Identity) {
  return { group: text('apiregistration.${groupDomain}'), version: 'v1', name: 'apiservices' };
}

/** The group of APIServices themselves has none, as in 1.32, and those of definitions are kept by a controller. @param served group versions with resolved names */
export function localApiServices(identity: Identity, served: readonly GroupVersionData[]): SystemObject[] {
  const resource = apiServiceResource(identity);
  const labels = managedLabel(identity, 'atStart');
  return served
    .filter(({ group, folder }) => group !== resource.group && folder !== '')
    .map(({ group, version, groupPriority, versionPriority }) => {
      const spec = { ...(group !== '' && { group }), version, groupPriorityMinimum: groupPriority, versionPriority };
      return {
        resource,
        metadata: { name: `${version}.${group}`, labels },
        members: { spec },
        repair: (stored) => (isManaged(stored, identity, 'atStart') && !deepEqual(stored.spec, spec) ? { ...stored, spec } : undefined),
      };
    });
}

/** @returns whether a stored APIService is of an earlier start and of no version that is served now */
export function isOutdated(identity: Identity, wanted: readonly SystemObject[]): (stored: ApiObject) => boolean {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  return (stored) => isManaged(stored, identity, 'atStart') && !names.has(stored.metadata.name ?? '');
}
