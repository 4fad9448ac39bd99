/**
 * Nobody grants more than they hold: who writes a role needs its rights or the verb escalate on it, who writes a binding needs the rights of
 * its role or the verb bind on that.
 */
import type { ClusterRole, RoleBinding } from '../../../generated/rbac/v1/types.ts';
import type { WriteAccess } from '../../contract/write-access.ts';
import { goQuote, goQuoteList } from '../../go-text/quote.ts';
import { deepEqual } from '../../schema/equal.ts';
import { newForbidden } from '../../status/status.ts';
import { compactRights, missingRights, ruleText, TooManyRights } from './covering.ts';
import type { PolicyRule } from './rule-matching.ts';

/** Of either kind. */
type AnyRole = Pick<ClusterRole, 'metadata' | 'rules' | 'aggregationRule'>;
type AnyBinding = Pick<RoleBinding, 'metadata' | 'roleRef'>;

const SUPERUSERS = 'system:masters';

/** What a role needs that gathers rules: it may come to hold anything. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export async function authorizeRole(role: AnyRole, old: AnyRole | undefined, access: WriteAccess): Promise<void> {
  if (mayDoAll(access) || (old !== undefined && changesOwnershipOnly(role, old))) return;
  const { group, resource, namespace, name } = access;
  if (await access.allows({ verb: 'escalate', group, resource, namespace, name })) return;
  // Validation comes later, and refuses a rule without verbs; until then it grants nothing.
  const rules = (role.rules ?? []).map((rule) => ({ ...rule, verbs: rule.verbs ?? [] }));
  const problem = escalation(rules, access);
  if (problem !== undefined) throw newForbidden({ group, resource }, role.metadata.name ?? '', problem);
  if (role.aggregationRule === undefined && old?.aggregationRule === undefined) return;
  if (escalation(EVERYTHING, access) !== undefined)
    throw newForbidden({ group, resource }, role.metadata.name ?? '', 'must have cluster-admin privileges to use the aggregationRule');
}

export async function authorizeBinding(binding: AnyBinding, old: AnyBinding | undefined, access: WriteAccess): Promise<void> {
  if (mayDoAll(access) || (old !== undefined && changesOwnershipOnly(binding, old))) return;
  const { group, resource, namespace } = access;
  const { kind, name, apiGroup } = binding.roleRef;
  const roles = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined;
  // A reference that means nothing is for validation to refuse.
  if (apiGroup !== group || roles === undefined) return;
  if (await access.allows({ verb: 'bind', group, resource: roles, namespace, name })) return;
  const problem = escalation(access.roleRules(kind, name, namespace), access);
  if (problem !== undefined) throw newForbidden({ group, resource }, binding.metadata.name ?? '', problem);
}

/** Of those who hold everything, nothing is asked. */
export function mayDoAll({ user }: Pick<WriteAccess, 'user'>): boolean {
  return user.groups.includes(SUPERUSERS);
}

/** Changes that the garbage collector needs to make, and no others. */
function changesOwnershipOnly(object: AnyRole | AnyBinding, old: AnyRole | AnyBinding): boolean {
  const { ownerReferences, finalizers, selfLink, managedFields } = old.metadata;
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const [member, value] of Object.entries({ ownerReferences, finalizers, selfLink, managedFields })) {
    if (value === undefined) delete metadata[member];
    else metadata[member] = value;
  }
  return deepEqual({ ...object, metadata }, old);
}

/** What the writer lacks; undefined for somebody who holds it all. */
function escalation(wanted: readonly PolicyRule[], { user, namespace, heldRules }: WriteAccess): string | undefined {
  const { rules, problem } = heldRules(namespace);
  const who = `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)}) is attempting to grant RBAC permissions not currently held`;
  const resolution = problem === undefined ? '' : `; resolution errors: [${problem}]`;
  try {
    const missing = missingRights(rules, wanted);
    if (missing.length === 0) return undefined;
    const texts = [...new Set(compactRights(missing).map(ruleText))].sort();
    return `${who}:\n${texts.join('\n')}${resolution}`;
  } catch (error) {
    if (!(error instanceof TooManyRights)) throw error;
    return `${who}: ${error.message}${resolution}`;
  }
}
