/** The default roles and bindings at a start: made where they are missing, repaired where they differ. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import { type Ensuring, ensureObjects } from '../../system-objects/ensure.ts';
import { isUnchanged, noteDefaults } from './bootstrap-marker.ts';

/** The table of default roles and bindings. */
export interface PolicySource {
  /** of its content */
  readonly hash: string;
  /** feature gates on which it depends what of it there is */
  readonly gates: readonly string[];
  load(): Promise<DefaultPolicy>;
}

interface PolicyServer extends Ensuring {
  readonly identity: Identity;
  readonly featureEnabled: (gate: string) => boolean;
}

/** Does nothing where the group of roles is not served. */
export async function ensureDefaultPolicy(server: PolicyServer, policy: PolicySource): Promise<void> {
  const { identity, storage, registry, featureEnabled } = server;
  const hash = [policy.hash, ...policy.gates.filter(featureEnabled)].join('+');
  const served = registry.current.servesVersion(identity.text('rbac.authorization.${groupDomain}'), 'v1');
  if (!served || isUnchanged(storage, hash)) return;
  const { policyObjects } = await import('./policy-objects.ts');
  const keys = await ensureObjects(server, policyObjects(await policy.load(), identity, featureEnabled));
  await noteDefaults(storage, hash, keys);
}
