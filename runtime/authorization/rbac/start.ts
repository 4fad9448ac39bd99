/** What the roles of a server do besides judging: default roles and bindings at its start, and the controller of those that gather rules. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { ApiServer } from '../../endpoints/api-server.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { AggregationController } from './aggregation-controller.ts';
import type { RbacAuthorizer } from './authorizer.ts';
import { bootstrapPolicy } from './bootstrap.ts';
import { isUnchanged, noteDefaults } from './bootstrap-marker.ts';

/** The table of default roles and bindings. */
export interface PolicySource {
  /** of its content */
  readonly hash: string;
  load(): Promise<DefaultPolicy>;
}

/** @returns stops the controller */
export async function startRoles(server: ApiServer, rbac: RbacAuthorizer, policy: PolicySource): Promise<() => Promise<void>> {
  const { identity, storage, registry, log } = server;
  const group = identity.text('rbac.authorization.${groupDomain}');
  if (!registry.servesVersion(group, 'v1')) return async () => {};
  const store = async (name: string): Promise<ResourceStore> => {
    const resource = registry.resource(group, 'v1', name);
    if (resource === undefined) throw new Error(`--runtime-config: ${group}/v1/${name} must be served`);
    return server.store(resource);
  };
  const context = server.ruleContext(false);
  if (!isUnchanged(storage, policy.hash)) {
    const keys = await bootstrapPolicy({ table: await policy.load(), identity, storage, store, context });
    await noteDefaults(storage, policy.hash, keys);
  }
  const controller = new AggregationController({
    storage,
    roles: rbac,
    store: () => store('clusterroles'),
    context,
    onError: (error) => log.error({ err: error }, 'rules of cluster roles could not be aggregated'),
  });
  controller.start();
  return () => controller.stop();
}
