/** Makes objects from the table of default roles and bindings, for one dialect. */
import type { DefaultBinding, DefaultPolicy, DefaultRole, DefaultRule, DefaultSubject } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { aggregatedRules, sameRules } from './aggregation.ts';

/** Objects by resource. Resources come before those that refer to them. */
export interface DefaultObjects {
  readonly clusterroles: ApiObject[];
  readonly roles: ApiObject[];
  readonly clusterrolebindings: ApiObject[];
  readonly rolebindings: ApiObject[];
}

export const DEFAULT_RESOURCES = [
  'clusterroles',
  'roles',
  'clusterrolebindings',
  'rolebindings',
] as const satisfies (keyof DefaultObjects)[];

export function defaultObjects(table: DefaultPolicy, identity: Identity): DefaultObjects {
  const { clusterRoles, roles, clusterRoleBindings, roleBindings } = identity.resolve(table);
  const maker = new Maker(identity);
  return {
    clusterroles: gathered(clusterRoles.map((role) => maker.role('ClusterRole', role))),
    roles: roles.map((role) => maker.role('Role', role, role.namespace)),
    clusterrolebindings: clusterRoleBindings.map((binding) => maker.binding('ClusterRoleBinding', binding)),
    rolebindings: roleBindings.map((binding) => maker.binding('RoleBinding', binding, binding.namespace)),
  };
}

class Maker {
  readonly #apiGroup: string;
  readonly #bootstrapping: string;
  readonly #autoUpdate: string;

  constructor(identity: Identity) {
    this.#apiGroup = identity.text('rbac.authorization.${groupDomain}');
    this.#bootstrapping = identity.text('${labelDomain}/bootstrapping');
    this.#autoUpdate = autoUpdateAnnotation(identity);
  }

  role(kind: string, { name, rules, aggregate, aggregateTo }: DefaultRole, namespace?: string): ApiObject {
    const label = (target: string) => ({ [`${this.#apiGroup}/aggregate-to-${target}`]: 'true' });
    return {
      ...this.#head(kind, name, namespace, aggregateTo === undefined ? {} : label(aggregateTo)),
      ...(rules !== undefined && { rules: rules.map((rule: DefaultRule) => ({ ...rule })) }),
      ...(aggregate !== undefined && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(aggregate) }] } }),
    };
  }

  binding(kind: string, { name, clusterRole, role, subjects }: DefaultBinding, namespace?: string): ApiObject {
    const roleRef = { apiGroup: this.#apiGroup, kind: role === undefined ? 'ClusterRole' : 'Role', name: role ?? clusterRole };
    return { ...this.#head(kind, name, namespace, {}), subjects: subjects.map((subject) => this.#subject(subject)), roleRef };
  }

  #subject(subject: DefaultSubject): object {
    if ('user' in subject) return { kind: 'User', apiGroup: this.#apiGroup, name: subject.user };
    if ('group' in subject) return { kind: 'Group', apiGroup: this.#apiGroup, name: subject.group };
    return { kind: 'ServiceAccount', name: subject.serviceAccount, namespace: subject.namespace };
  }

  #head(kind: string, name: string, namespace: string | undefined, labels: Record<string, string>): ApiObject {
    return {
      kind,
      apiVersion: `${this.#apiGroup}/v1`,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        labels: { [this.#bootstrapping]: 'rbac-defaults', ...labels },
        annotations: { [this.#autoUpdate]: 'true' },
      },
    };
  }
}

/** Annotation that says whether a start may repair an object: it may unless the value is "false". */
export function autoUpdateAnnotation(identity: Identity): string {
  return identity.text('rbac.authorization.${labelDomain}/autoupdate');
}

/** Fills in the rules of aggregated roles. These may collect from roles that are aggregated, too. */
function gathered(roles: ApiObject[]): ApiObject[] {
  for (let changed = true; changed; ) {
    changed = false;
    const all = roles.map(({ metadata, rules }) => ({ name: metadata.name as string, labels: metadata.labels, rules: rules ?? [] }));
    for (const role of roles) {
      if (role.aggregationRule === undefined) continue;
      const rules = aggregatedRules({ name: role.metadata.name as string, selectors: role.aggregationRule.clusterRoleSelectors }, all);
      if (role.rules !== undefined && sameRules(rules, role.rules)) continue;
      role.rules = rules;
      changed = true;
    }
  }
  return roles;
}
