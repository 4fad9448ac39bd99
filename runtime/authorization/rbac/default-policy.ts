/** The default roles and bindings at a start: made where they are missing, repaired where they differ. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { ApiServer } from '../../endpoints/api-server.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { isUnchanged, noteDefaults } from './bootstrap-marker.ts';

/** The table of default roles and bindings. */
export interface PolicySource {
  /** of its content */
  readonly hash: string;
  load(): Promise<DefaultPolicy>;
}

/** Does nothing where the group of roles is not served. */
export async function ensureDefaultPolicy(server: ApiServer, policy: PolicySource): Promise<void> {
  const { identity, storage, registry } = server;
  const group = identity.text('rbac.authorization.${groupDomain}');
  if (!registry.servesVersion(group, 'v1') || isUnchanged(storage, policy.hash)) return;
  const store = async (name: string): Promise<ResourceStore> => {
    const resource = registry.resource(group, 'v1', name);
    if (resource === undefined) throw new Error(`--runtime-config: ${group}/v1/${name} must be served`);
    return server.store(resource);
  };
  const { bootstrapPolicy } = await import('./bootstrap.ts');
  const keys = await bootstrapPolicy({
    table: await policy.load(),
    identity,
    storage,
    store,
    context: server.ruleContext(false),
    fieldManagers: server.fieldManagers,
  });
  await noteDefaults(storage, policy.hash, keys);
}
