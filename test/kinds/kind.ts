/** Kinds as the server has them: generated data and hand-written rules together. */
import { groupVersions } from '../../generated/routes.ts';
import { ruleModules } from '../../generated/rules.ts';
import type { Kind } from '../../runtime/registry/kind.ts';
import { Registry, type Resource } from '../../runtime/registry/registry.ts';
import { identity } from './context.ts';

const registry = new Registry({
  data: groupVersions,
  identity,
  rules: ruleModules,
  serves: () => true,
  featureEnabled: () => true,
  release: '1.32',
});

/** @param apiVersion in the dialect `kubernetes` */
export function loadKind(apiVersion: string, kind: string): Promise<Kind> {
  const slash = apiVersion.indexOf('/');
  return registry.kind(slash === -1 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind);
}

/** A resource of a served version, with the hub of its kind. @param group in the dialect `kubernetes` */
export async function loadResource(group: string, version: string, name: string): Promise<{ resource: Resource; hub: Kind }> {
  const resource = registry.resource(group, version, name);
  if (resource === undefined) throw new Error(`no resource ${name} in version ${version} of group "${group}"`);
  const { storage } = resource.data;
  const hub =
    storage === undefined ? registry.kind(group, version, resource.data.kind) : registry.kind(storage.group, storage.version, storage.kind);
  return { resource, hub: await hub };
}
