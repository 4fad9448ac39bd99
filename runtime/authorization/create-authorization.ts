/** The authorizers that the flags ask for, in their order. */
import type { Identity } from '../contract/identity.ts';
import type { Authorizer, Grants } from '../endpoints/api-server.ts';
import type { StoreFollower } from '../registry/store-follower.ts';
import { AlwaysAllowAuthorizer, AlwaysDenyAuthorizer } from './always.ts';
import { AuthorizerChain } from './chain.ts';
import { RbacAuthorizer } from './rbac/authorizer.ts';
import { RoleIndex } from './rbac/role-index.ts';
import { SuperuserAuthorizer } from './superuser.ts';

export interface AuthorizationOptions {
  /** --authorization-mode */
  readonly modes: readonly string[];
  readonly identity: Identity;
  readonly follower: StoreFollower;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  readonly grants: Grants;
}

const MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

/** @throws Error for modes that are unknown, repeated or missing */
export function createAuthorization({ modes, identity, follower }: AuthorizationOptions): Authorization {
  checkModes(modes);
  const index = new RoleIndex();
  const rbac = new RbacAuthorizer(index, catchUpOf(follower, index), identity);
  const byMode: Readonly<Record<string, () => Authorizer>> = {
    AlwaysAllow: () => new AlwaysAllowAuthorizer(),
    AlwaysDeny: () => new AlwaysDenyAuthorizer(),
    RBAC: () => rbac,
  };
  const authorizers = modes.flatMap((mode) => byMode[mode]?.() ?? []);
  return { authorizer: new AuthorizerChain([new SuperuserAuthorizer(), ...authorizers]), grants: rbac };
}

/** Roles are read when somebody is first judged by them: the administrator is not, and a start should not wait. */
function catchUpOf(follower: StoreFollower, index: RoleIndex): () => void {
  let added = false;
  return () => {
    if (added) return follower.catchUp();
    added = true;
    follower.add(index);
  };
}

function checkModes(modes: readonly string[]): void {
  if (modes.length === 0) throw new Error('--authorization-mode: at least one mode is needed');
  const unknown = modes.find((mode) => !MODES.includes(mode));
  if (unknown !== undefined) throw new Error(`--authorization-mode: ${JSON.stringify(unknown)} is none of ${MODES.join(', ')}`);
  const repeated = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (repeated !== undefined) throw new Error(`--authorization-mode: ${repeated} stands there twice`);
}
