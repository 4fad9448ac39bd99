/** Makes the authorizers that flags or a file ask for, in their order. Modules that only some of them need are loaded on demand. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { FollowerSink, StoreFollower } from '../../registry/stored-objects/store-follower.ts';
import { AlwaysAllowAuthorizer, AlwaysDenyAuthorizer } from '../always.ts';
import { AlwaysAllowedPaths } from '../always-allowed-paths.ts';
import { type AuthorizationFlags, checkAuthorizationFlags, type DelegationFlags, FLAGS_WEBHOOK_NAME } from '../authorization-flags.ts';
import type { Authorizer } from '../authorizer.ts';
import { AuthorizerChain } from '../chain.ts';
import { CountedAuthorizer, decisionCounter } from '../counted-authorizer.ts';
import type { Grants } from '../grants.ts';
import { NodeAuthorizer } from '../node/authorizer.ts';
import { NodeRelations } from '../node/relations.ts';
import { RbacAuthorizer } from '../rbac/authorizer.ts';
import { openPart } from '../rbac/open-part.ts';
import { RoleIndex } from '../rbac/role-index.ts';
import { SuperuserAuthorizer } from '../superuser.ts';

export interface AuthorizationParts {
  readonly flags: AuthorizationFlags & DelegationFlags;
  /** names of the flags on the command line */
  readonly given: ReadonlySet<string>;
  readonly identity: Identity;
  readonly follower: StoreFollower;
  readonly log: Log;
  readonly metrics: Metrics;
  /** leads to webhooks; absent: they are reached directly */
  readonly egress?: Egress | undefined;
  readonly followedFiles: FollowedFiles;
  /** reads configuration files that flags name */
  readonly fileKinds: () => Promise<FileKinds>;
  /** the table of default roles and bindings, which contains the rules for every node */
  readonly loadPolicy: () => Promise<DefaultPolicy>;
  readonly featureEnabled: (gate: string) => boolean;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  readonly grants: Grants;
  close(): void;
}

/** In all modes members of system:masters may do everything. */
const SUPERUSER = new SuperuserAuthorizer();

/** @throws Error for contradictory flags and invalid files */
export async function createAuthorization(parts: AuthorizationParts): Promise<Authorization> {
  const { flags, given, identity, follower } = parts;
  const index = new RoleIndex();
  const rbac = new RbacAuthorizer(index, catchUpOf(follower, index), identity);
  if (flags['delegated-authentication']) {
    const paths = new AlwaysAllowedPaths(flags['authorization-always-allow-paths']);
    const { delegatedWebhook } = await import('../webhook/create-webhook.ts');
    const webhook = await delegatedWebhook(parts);
    return { authorizer: new AuthorizerChain([SUPERUSER, paths, webhook]), grants: rbac, close: () => webhook.close() };
  }
  checkAuthorizationFlags(flags, given);
  const modes = new Modes(parts, rbac);
  if (flags['authorization-config'] !== '') {
    const { ConfiguredAuthorizers } = await import('./configured-authorizers.ts');
    const configured = await ConfiguredAuthorizers.open(parts, (mode) => modes.authorizer(mode));
    return { authorizer: new AuthorizerChain([SUPERUSER, configured]), grants: rbac, close: () => closeAll(configured, modes) };
  }
  const decisions = decisionCounter(parts.metrics);
  const counted = async (mode: string): Promise<Authorizer> =>
    new CountedAuthorizer(await modes.authorizer(mode), decisions, mode, mode === 'Webhook' ? FLAGS_WEBHOOK_NAME : mode.toLowerCase());
  const authorizers = await Promise.all(flags['authorization-mode'].map(counted));
  return { authorizer: new AuthorizerChain([SUPERUSER, ...authorizers]), grants: rbac, close: () => modes.close() };
}

function closeAll(...all: readonly { close(): void }[]): void {
  for (const each of all) each.close();
}

const NODE_ROLE = 'system:node';

class Modes {
  readonly #parts: AuthorizationParts;
  readonly #rbac: RbacAuthorizer;
  readonly #made = new Map<string, Promise<Authorizer>>();
  readonly #closers: (() => void)[] = [];

  constructor(parts: AuthorizationParts, rbac: RbacAuthorizer) {
    this.#parts = parts;
    this.#rbac = rbac;
  }

  /** The authorizer of a mode that flags configure; the same one each time. */
  authorizer(mode: string): Promise<Authorizer> {
    let made = this.#made.get(mode);
    if (made === undefined) {
      made = this.#make(mode);
      this.#made.set(mode, made);
    }
    return made;
  }

  close(): void {
    for (const close of this.#closers) close();
  }

  async #make(mode: string): Promise<Authorizer> {
    switch (mode) {
      case 'AlwaysAllow':
        return new AlwaysAllowAuthorizer();
      case 'AlwaysDeny':
        return new AlwaysDenyAuthorizer();
      case 'RBAC':
        return this.#rbac;
      case 'Node':
        return this.#node();
      case 'ABAC':
        return this.#abac();
      default:
        return this.#webhook();
    }
  }

  #node(): Authorizer {
    const { identity, follower, loadPolicy, featureEnabled } = this.#parts;
    const relations = new NodeRelations(identity);
    return new NodeAuthorizer({
      identity,
      relations,
      catchUp: catchUpOf(follower, relations),
      loadRules: async () => {
        const { clusterRoles } = openPart(await loadPolicy(), featureEnabled);
        return identity.resolve(clusterRoles.find(({ name }) => name === NODE_ROLE)?.rules ?? []);
      },
      withSelectors: featureEnabled('AuthorizeNodeWithSelectors'),
    });
  }

  async #abac(): Promise<Authorizer> {
    const { openPolicyFile } = await import('../abac/policy-file.ts');
    const { authorizer, close } = await openPolicyFile({ ...this.#parts, file: this.#parts.flags['authorization-policy-file'] });
    this.#closers.push(close);
    return authorizer;
  }

  async #webhook(): Promise<Authorizer> {
    const { webhookOfFlags } = await import('../webhook/create-webhook.ts');
    const webhook = await webhookOfFlags(this.#parts);
    this.#closers.push(() => webhook.close());
    return webhook;
  }
}

/** The stored objects are read at the first decision that needs them. So a start need not wait for them, and the administrator needs none. */
function catchUpOf(follower: StoreFollower, index: FollowerSink): () => void {
  let added = false;
  return () => {
    if (added) return follower.catchUp();
    added = true;
    follower.add(index);
  };
}
