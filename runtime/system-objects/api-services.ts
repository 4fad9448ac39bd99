/** An APIService for each group version that this server answers itself. */
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { deepEqual } from '../schema/equal.ts';
import type { SystemObject } from './system-object.ts';

const MANAGED = 'kube-aggregator.${labelDomain}/automanaged';
/** Made and removed by a start; "true" is for those that come and go while the server runs. */
const AT_START = 'onstart';

export function apiServiceResource({ text }: Identity) {
  return { group: text('apiregistration.${groupDomain}'), version: 'v1', name: 'apiservices' };
}

/** The group of APIServices themselves has none, as in 1.32. @param served group versions with resolved names */
export function localApiServices(identity: Identity, served: readonly GroupVersionData[]): SystemObject[] {
  const resource = apiServiceResource(identity);
  const label = identity.text(MANAGED);
  return served
    .filter(({ group }) => group !== resource.group)
    .map(({ group, version, groupPriority, versionPriority }) => {
      const spec = { ...(group !== '' && { group }), version, groupPriorityMinimum: groupPriority, versionPriority };
      return {
        resource,
        metadata: { name: `${version}.${group}`, labels: { [label]: AT_START } },
        members: { spec },
        repair: (stored) => (isManaged(stored, label) && !deepEqual(stored.spec, spec) ? { ...stored, spec } : undefined),
      };
    });
}

/** @returns whether a stored APIService is of an earlier start and of no version that is served now */
export function isOutdated(identity: Identity, wanted: readonly SystemObject[]): (stored: ApiObject) => boolean {
  const label = identity.text(MANAGED);
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  return (stored) => isManaged(stored, label) && !names.has(stored.metadata.name ?? '');
}

function isManaged({ metadata }: ApiObject, label: string): boolean {
  return metadata.labels?.[label] === AT_START;
}
