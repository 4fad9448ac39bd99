/** Finds the resources that somebody asks for by the names of groups, versions and kinds. */
import { createIdentity, type Dialect, type IdentityData } from '../../../runtime/contract/identity.ts';
import type { ClientGroupVersion, ClientResource } from './client-model.ts';
import type { Choose } from './select.ts';

/** What somebody asks for on the command line. */
export interface ClientRequest {
  /** Full names of groups, or the names of their folders in `schemas/`, each perhaps with a version: `apps`, `core/v1`, `rbac`. */
  readonly groups: readonly string[];
  /** Names of kinds, such as `Pod`; [] asks for all kinds. */
  readonly kinds: readonly string[];
}

const DIALECTS: readonly Dialect[] = ['cluster', 'kubernetes'];

/**
 * Groups of definitions are always asked for. All others are asked for where they are named, or if neither groups nor definitions are given.
 * @param defined the group versions of definitions
 */
export function chooseResources(request: ClientRequest, defined: readonly ClientGroupVersion[], identity: IdentityData): Choose {
  const groups = new Set(request.groups);
  const kinds = new Set(request.kinds);
  const chosesAll = groups.size === 0 && defined.length === 0;
  return (groupVersion): readonly ClientResource[] => {
    const isChosen = chosesAll || defined.includes(groupVersion) || namesOf(groupVersion, identity).some((name) => groups.has(name));
    if (!isChosen) return [];
    return groupVersion.resources.filter(({ kind }) => kinds.size === 0 || kinds.has(kind));
  };
}

/** @returns the names by which the group and this version of it may be asked for */
function namesOf({ group, version, folder }: ClientGroupVersion, identity: IdentityData): string[] {
  const full = DIALECTS.map((dialect) => createIdentity(identity, dialect).text(group)).map((name) => (name === '' ? 'core' : name));
  const names = new Set([...full, folder.split('/', 1)[0] as string]);
  return [...names].flatMap((name) => [name, `${name}/${version}`]);
}
