/** What of the default roles and bindings there is while some feature gates are on and others are off. */
import type { DefaultPolicy, DefaultRole } from '../../contract/default-policy.ts';

/** Leaves out cluster roles whose feature gates are off, their bindings, and rules whose gates are off. */
export function openPart(table: DefaultPolicy, featureEnabled: (gate: string) => boolean): DefaultPolicy {
  const isOpen = ({ featureGates }: Gated): boolean => featureGates?.every(featureEnabled) ?? true;
  const closed = new Set(table.clusterRoles.filter((role) => !isOpen(role)).map(({ name }) => name));
  const withOpenRules = (role: DefaultRole): DefaultRole =>
    role.rules === undefined ? role : { ...role, rules: role.rules.filter(isOpen).map(({ featureGates, ...rule }) => rule) };
  return {
    ...table,
    clusterRoles: table.clusterRoles.filter(({ name }) => !closed.has(name)).map(withOpenRules),
    clusterRoleBindings: table.clusterRoleBindings.filter(({ clusterRole = '' }) => !closed.has(clusterRole)),
  };
}

type Gated = Pick<DefaultRole, 'featureGates'>;
