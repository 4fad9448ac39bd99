/** The authorizers that the flags ask for, in their order. */
import type { DefaultPolicy } from '../contract/default-policy.ts';
import type { Identity } from '../contract/identity.ts';
import type { Authorizer, Grants } from '../endpoints/api-server.ts';
import type { FollowerSink, StoreFollower } from '../registry/store-follower.ts';
import { AlwaysAllowAuthorizer, AlwaysDenyAuthorizer } from './always.ts';
import { AuthorizerChain } from './chain.ts';
import { NodeAuthorizer } from './node/authorizer.ts';
import { NodeRelations } from './node/relations.ts';
import { RbacAuthorizer } from './rbac/authorizer.ts';
import { RoleIndex } from './rbac/role-index.ts';
import { SuperuserAuthorizer } from './superuser.ts';

export interface AuthorizationOptions {
  /** --authorization-mode */
  readonly modes: readonly string[];
  readonly identity: Identity;
  readonly follower: StoreFollower;
  /** the table of default roles and bindings, which has what every node may do */
  readonly loadPolicy: () => Promise<DefaultPolicy>;
  readonly featureEnabled: (gate: string) => boolean;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  readonly grants: Grants;
}

const MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

/** @throws Error for modes that are unknown, repeated or missing */
export function createAuthorization(options: AuthorizationOptions): Authorization {
  const { modes, identity, follower } = options;
  checkModes(modes);
  const index = new RoleIndex();
  const rbac = new RbacAuthorizer(index, catchUpOf(follower, index), identity);
  const byMode: Readonly<Record<string, () => Authorizer>> = {
    AlwaysAllow: () => new AlwaysAllowAuthorizer(),
    AlwaysDeny: () => new AlwaysDenyAuthorizer(),
    RBAC: () => rbac,
    Node: () => nodeAuthorizer(options),
  };
  const authorizers = modes.flatMap((mode) => byMode[mode]?.() ?? []);
  return { authorizer: new AuthorizerChain([new SuperuserAuthorizer(), ...authorizers]), grants: rbac };
}

const NODE_ROLE = 'system:node';

function nodeAuthorizer({ identity, follower, loadPolicy, featureEnabled }: AuthorizationOptions): NodeAuthorizer {
  const relations = new NodeRelations(identity);
  return new NodeAuthorizer({
    identity,
    relations,
    catchUp: catchUpOf(follower, relations),
    loadRules: async () => identity.resolve((await loadPolicy()).clusterRoles.find(({ name }) => name === NODE_ROLE)?.rules ?? []),
    withSelectors: featureEnabled('AuthorizeNodeWithSelectors'),
  });
}

/** What is in the store is read when somebody is first judged by it: the administrator is not, and a start should not wait. */
function catchUpOf(follower: StoreFollower, index: FollowerSink): () => void {
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
