/** The default roles and bindings at a start: made where they are missing, repaired where they differ. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import { type Ensuring, ensureObjects } from '../../system-objects/ensure.ts';
import { isUnchanged, noteDefaults } from './bootstrap-marker.ts';

/** The table of default roles and bindings. */
export interface PolicySource {
  /** of its content */
  readonly hash: string;
  load(): Promise<DefaultPolicy>;
}

/** Does nothing where the group of roles is not served. */
export async function ensureDefaultPolicy(server: Ensuring & { readonly identity: Identity }, policy: PolicySource): Promise<void> {
  const { identity, storage, registry } = server;
  const served = registry.current.servesVersion(identity.text('rbac.authorization.${groupDomain}'), 'v1');
  if (!served || isUnchanged(storage, policy.hash)) return;
  const { policyObjects } = await import('./policy-objects.ts');
  const keys = await ensureObjects(server, policyObjects(await policy.load(), identity));
  await noteDefaults(storage, policy.hash, keys);
}
