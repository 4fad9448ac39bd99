/** Admission of the writes of clients: `ObjectAdmission`, with warnings of repeated owner references, and with the rights that kinds ask for. */

import { ObjectAdmission } from '../../../admission/object-admission.ts';
import type { Operation, OperationOptions } from '../../../admission/request/attributes.ts';
import { refusedBy } from '../../../authorization/forbidden.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { dropDuplicateOwners } from '../../../kinds/metadata/owner-references.ts';
import { newAbsent } from '../../../registry/resource-store/absent-object.ts';
import { fieldLimits } from '../../../registry/resource-store/field-managers.ts';
import type { ValidatingAdmission } from '../../../registry/resource-store/resource-store.ts';
import type { RegistrySnapshot } from '../../../registry/resources/registry-snapshot.ts';
import type { MemberPath } from '../../../schema/emptied-members.ts';
import { type GroupResource, newBadRequest, type StatusError } from '../../../status/status.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import { addWarnings } from '../../request/warnings.ts';
import type { ResourceRequest } from '../../resource-request.ts';

/** Makes the admission of a request's operation on an object. */
export function admissionOf(request: ResourceRequest, operation: Operation, options: OperationOptions): ObjectAdmission {
  const { server, client, resource, kind, info, user } = request;
  return new ObjectAdmission(server.admission, {
    request: client,
    user,
    operation,
    resource,
    subresource: info.subresource,
    kind,
    namespace: info.namespace,
    name: info.name,
    options: asStated(options, request),
  });
}

/** Plugins and webhooks see `fieldValidation` only where the client has stated it, not its default. */
function asStated({ fieldValidation: _defaulted, ...options }: OperationOptions, { info }: ResourceRequest): OperationOptions {
  const fieldValidation = info.query.get('fieldValidation') ?? '';
  return fieldValidation === '' ? options : { ...options, fieldValidation };
}

/**
 * The admission of a write. Drops repeated owner references before and after plugins run.
 * @throws StatusError
 */
export class WriteAdmission {
  readonly #request: ResourceRequest;
  readonly #admission: ObjectAdmission;

  constructor(request: ResourceRequest, operation: 'create' | 'update', options: OperationOptions) {
    this.#request = request;
    this.#admission = admissionOf(request, operation, options);
  }

  /** May change `object`. @param emptied see `ObjectAdmission.mutate`. @returns a promise where it waits for something. @throws StatusError; a promise rejects with it */
  mutate(object: ApiObject, old: ApiObject | undefined, emptied?: readonly MemberPath[] | undefined): Promise<void> | undefined {
    return this.#mutate(object, old, emptied, dropDuplicateOwners(object.metadata, 'sent'));
  }

  /** `mutate` for what a patch has made: as in 1.32, admission sees owner references that stand twice in it, and they are told of as if it had made them. */
  mutatePatched(object: ApiObject, old: ApiObject | undefined, emptied?: readonly MemberPath[] | undefined): Promise<void> | undefined {
    return this.#mutate(object, old, emptied, undefined);
  }

  #mutate(
    object: ApiObject,
    old: ApiObject | undefined,
    emptied: readonly MemberPath[] | undefined,
    sent: string | undefined,
  ): Promise<void> | undefined {
    const authorize = (): Promise<void> | undefined => this.#authorize(object, old, sent);
    const mutating = this.#admission.mutate(object, old, emptied);
    return mutating === undefined ? authorize() : mutating.then(authorize);
  }

  /** @param sent the warning about owner references of the object as it was sent; undefined: there is none */
  #authorize(object: ApiObject, old: ApiObject | undefined, sent: string | undefined): Promise<void> | undefined {
    requireSamePlace(this.#request, object);
    const warn = (): undefined => {
      const admitted = dropDuplicateOwners(object.metadata, 'admitted');
      if (sent !== undefined) addWarnings(this.#request.context, [sent]);
      if (admitted !== undefined) addWarnings(this.#request.context, [admitted]);
    };
    const authorizing = askRights(this.#request, 'authorizeWrite', object, old);
    return authorizing === undefined ? warn() : authorizing.then(warn);
  }

  /** Given to the store, which calls it with a valid object just before it writes. */
  readonly validate: ValidatingAdmission = (object, old) => {
    const asking = askRights(this.#request, 'authorizeValid', object, old);
    return asking === undefined ? this.#validate(object, old) : asking.then(() => this.#validate(object, old));
  };

  /** Does the same as `validate` for an object that an update or an apply creates, whose writer also needs the right to create it. */
  readonly validateCreation: ValidatingAdmission = async (object, old) => {
    await askRights(this.#request, 'authorizeValid', object, old);
    const { user, server, client, info } = this.#request;
    const { isResource, path, group, version, namespace, resource, subresource, name } = info;
    const attributes = { user, isResource, verb: 'create', path, group, version, namespace, resource, subresource, name };
    const decision = await server.authorizer.authorize(attributes, client);
    if (decision.decision !== 'allow') throw refusedBy(attributes, decision, server.identity);
    return this.#validate(object, old);
  };

  readonly #validate: ValidatingAdmission = (object, old) => this.#admission.validate(object, old, this.#isReset);

  readonly #isReset = (path: MemberPath): boolean => {
    const { resource, info } = this.#request;
    const { resets, owns } = fieldLimits(resource.data, info.subresource);
    return owns !== undefined || resets.some((reset) => `${path.join('.')}.`.startsWith(`${reset}.`));
  };
}

/**
 * Checks that admission has not changed the namespace of an object that is stored: validation finds out whether its name may have changed. What asks for
 * something else, such as a Scale, names in its metadata nothing that counts.
 * @throws StatusError BadRequest
 */
function requireSamePlace(request: ResourceRequest, object: ApiObject): void {
  if (request.kind.kind === request.resource.data.kind) requireNamespace(request, object);
}

type RightsRule = 'authorizeWrite' | 'authorizeValid';

/**
 * Checks the rights that the kind asks of a writer, besides the right to the verb.
 * @returns undefined where it asks for none. The promise rejects with StatusError
 */
function askRights(request: ResourceRequest, rule: RightsRule, object: ApiObject, old: ApiObject | undefined): Promise<void> | undefined {
  const { info, store } = request;
  return info.subresource !== '' || store?.hub.rules[rule] === undefined ? undefined : askAuthorizer(request, rule, object, old);
}

async function askAuthorizer(request: ResourceRequest, rule: RightsRule, object: ApiObject, old: ApiObject | undefined): Promise<void> {
  const { server, client, store, info, user } = request;
  await server.grants.settled();
  const { group, version, namespace, resource, name } = info;
  await store.hub.rules[rule]?.(object, old, {
    user,
    group,
    resource,
    namespace,
    name,
    allows: async (action) => {
      const attributes = { version, ...action, user, isResource: true, path: '', subresource: '' };
      return (await server.authorizer.authorize(attributes, client)).decision === 'allow';
    },
    resourceOf: (apiVersion, kind) => resourceOf(request.registry, apiVersion, kind),
    stored: (of, objectName) => server.objects.get(of, '', objectName),
    heldRules: (scope) => server.grants.held(user, scope, resource),
    roleRules(kind, roleName, scope) {
      const rules = server.grants.roleRules(kind, roleName, scope);
      if (rules === undefined) throw absentRole({ group, resource }, kind, roleName, scope);
      return rules;
    },
  });
}

/** As in 1.32 a role is looked for in the namespace of the request, and is told of as if it were of the resource of the request. */
function absentRole(resource: GroupResource, kind: string, name: string, namespace: string): StatusError {
  return kind === 'Role' && namespace === '' ? newBadRequest('Namespace parameter required.') : newAbsent(resource, name);
}

function resourceOf({ groupVersions }: RegistrySnapshot, apiVersion: string, kind: string): string | undefined {
  const served = groupVersions.find(({ group, version }) => apiVersion === (group === '' ? version : `${group}/${version}`));
  return served?.resources.find((resource) => resource.kind === kind)?.name;
}
