/** Which resources somebody asks for by the names of groups, versions and kinds. */
import { createIdentity, type Dialect, type IdentityData } from '../../../runtime/contract/identity.ts';
import type { ClientGroupVersion, ClientResource } from './client-model.ts';
import type { Choose } from './select.ts';

export interface ClientRequest {
  /** full names, or those of folders in schemas/, perhaps with a version: `apps`, `core/v1`, `rbac` */
  readonly groups: readonly string[];
  /** such as `Pod`; none: all */
  readonly kinds: readonly string[];
}

const DIALECTS: readonly Dialect[] = ['cluster', 'kubernetes'];

/**
 * Groups of definitions are always asked for, all others where they are named, or where nothing else is.
 * @param defined those of definitions
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

/** Names of the group, and of this version of it. */
function namesOf({ group, version, folder }: ClientGroupVersion, identity: IdentityData): string[] {
  const full = DIALECTS.map((dialect) => createIdentity(identity, dialect).text(group)).map((name) => (name === '' ? 'core' : name));
  const names = new Set([...full, folder.split('/', 1)[0] as string]);
  return [...names].flatMap((name) => [name, `${name}/${version}`]);
}
