import type { GroupVersionData, ResourceData } from '../../contract/kind.ts';
import type { ServedAs } from './plugin.ts';

type Served = Pick<GroupVersionData, 'group' | 'version'> & {
  readonly resources: readonly Pick<ResourceData, 'name' | 'kind' | 'scope'>[];
};

/**
 * The resources that 1.32 takes a kind for. A kind may be written in small letters; kinds of lists count as kinds, of resources that nobody serves.
 * @param apiVersion a version, or a group and a version
 */
export function resourcesOfKind(groupVersions: readonly Served[], apiVersion: string, kind: string): ServedAs[] {
  return groupVersions
    .filter(({ group, version }) => apiVersion === (group === '' ? version : `${group}/${version}`))
    .flatMap(({ group, version, resources }) => [
      ...resources.flatMap((resource) => {
        const name = nameFor(resource, kind);
        return name === undefined ? [] : [{ group, version, resource: name, namespaced: resource.scope === 'Namespaced' }];
      }),
      ...(kind === 'List' ? [{ group, version, resource: 'lists', namespaced: false }] : []),
    ]);
}

function nameFor(resource: Pick<ResourceData, 'name' | 'kind'>, kind: string): string | undefined {
  if (kind === resource.kind || kind === resource.kind.toLowerCase()) return resource.name;
  return kind === `${resource.kind}List` ? `${kind.toLowerCase()}s` : undefined;
}
