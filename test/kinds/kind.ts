/** Kinds as the server has them: generated data and hand-written rules together. */
import { groupVersions } from '../../generated/routes.ts';
import { loadConversion, loadRules } from '../../runtime/kinds/index.ts';
import type { Kind } from '../../runtime/registry/kind.ts';
import { Registry } from '../../runtime/registry/registry.ts';
import { identity } from './context.ts';

const registry = new Registry({
  data: groupVersions,
  identity,
  rules: { rules: (name) => loadRules(name, identity), conversion: (name) => loadConversion(name, identity) },
  serves: () => true,
  featureEnabled: () => true,
  release: '1.32',
});

/** @param apiVersion in the dialect `kubernetes` */
export function loadKind(apiVersion: string, kind: string): Promise<Kind> {
  const slash = apiVersion.indexOf('/');
  return registry.kind(slash === -1 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind);
}
