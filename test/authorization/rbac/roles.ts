/** Roles and bindings as a store would hand them to the index. */

import { identity as identityData } from '../../../generated/identity.ts';
import type { AccessAttributes, Decision } from '../../../runtime/authorization/authorizer.ts';
import { RbacAuthorizer } from '../../../runtime/authorization/rbac/authorizer.ts';
import { RoleIndex } from '../../../runtime/authorization/rbac/role-index.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { GrantedRule } from '../../../runtime/contract/write-access.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';

export const identity = createIdentity(identityData, 'kubernetes');
const API = 'rbac.authorization.k8s.io';

/** Nothing is being read, so it need not wait. */
class PromptAuthorizer extends RbacAuthorizer {
  override authorize(attributes: AccessAttributes): Decision {
    const decision = super.authorize(attributes);
    if (decision instanceof Promise) throw new Error('a decision waits for what is being read');
    return decision;
  }
}

export class Roles {
  readonly index = new RoleIndex();
  readonly authorizer = new PromptAuthorizer(this.index, () => {}, identity);

  role(at: string, rules: readonly GrantedRule[], more: { labels?: Record<string, string>; aggregate?: object[] } = {}): this {
    const { namespace, name } = place(at);
    const { labels, aggregate } = more;
    return this.#change(namespace === '' ? 'clusterroles' : 'roles', namespace, name, {
      metadata: { name, ...(namespace !== '' && { namespace }), ...(labels && { labels }) },
      rules,
      ...(aggregate && { aggregationRule: { clusterRoleSelectors: aggregate } }),
    });
  }

  /** @param of `Role/name` or `ClusterRole/name`. @param subjects such as `User alice`, `Group dev`, `ServiceAccount ns/robot` */
  bind(at: string, of: string, ...subjects: string[]): this {
    const { namespace, name } = place(at);
    const [kind, role] = of.split('/');
    return this.#change(namespace === '' ? 'clusterrolebindings' : 'rolebindings', namespace, name, {
      metadata: { name, ...(namespace !== '' && { namespace }) },
      subjects: subjects.map(subject),
      roleRef: { apiGroup: API, kind, name: role },
    });
  }

  remove(resource: string, at: string): this {
    this.index.change(`${resource}/${at}`, undefined);
    return this;
  }

  #change(resource: string, namespace: string, name: string, object: { metadata: object; [member: string]: unknown }): this {
    const { bytes } = encodeStoredObject({ kind: 'X', apiVersion: `${API}/v1`, ...object }, 1, []);
    this.index.change(namespace === '' ? `${resource}/${name}` : `${resource}/${namespace}/${name}`, new StoredObject(bytes));
    return this;
  }
}

function place(at: string): { namespace: string; name: string } {
  const slash = at.indexOf('/');
  return slash < 0 ? { namespace: '', name: at } : { namespace: at.slice(0, slash), name: at.slice(slash + 1) };
}

function subject(text: string): object {
  const [kind = '', of = ''] = text.split(' ');
  if (kind !== 'ServiceAccount') return { kind, apiGroup: API, name: of };
  const { namespace, name } = place(of);
  return { kind, name, ...(namespace !== '' && { namespace }) };
}
