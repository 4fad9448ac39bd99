/** Resources as schemas state them. */
import { groupVersions } from '../../generated/routes.ts';
import type { ResourceData } from '../../runtime/contract/kind.ts';
import { identity } from '../kinds/context.ts';

/** @returns undefined for a resource that no schema states */
export function statedResource(group: string, name: string): ResourceData | undefined {
  const ofGroup = groupVersions.filter((each) => identity.text(each.group) === group);
  return ofGroup.flatMap(({ resources }) => resources).find((resource) => resource.name === name);
}
