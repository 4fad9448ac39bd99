/** Admission around the writes of a client: what `ObjectAdmission` does, with what writers are asked and told besides. */

import { ObjectAdmission } from '../../admission/object-admission.ts';
import type { Operation, OperationOptions } from '../../admission/request/attributes.ts';
import { refusedBy } from '../../authorization/forbidden.ts';
import { invalid } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dropDuplicateOwners } from '../../kinds/metadata/owner-references.ts';
import type { RegistrySnapshot } from '../../registry/registry-snapshot.ts';
import type { ValidatingAdmission } from '../../registry/resource-store.ts';
import { newInvalid } from '../../status/status.ts';
import { requireNamespace } from '../namespace-of-path.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { addWarnings } from '../warnings.ts';

/** The admission of what a request does to an object. */
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

/** Admission is told of no default. */
function asStated({ fieldValidation: _defaulted, ...options }: OperationOptions, { info }: ResourceRequest): OperationOptions {
  const fieldValidation = info.query.get('fieldValidation') ?? '';
  return fieldValidation === '' ? options : { ...options, fieldValidation };
}

/**
 * The admission of a write, with the references to owners that say the same dropped before and after it.
 * @throws StatusError
 */
export class WriteAdmission {
  readonly #request: ResourceRequest;
  readonly #admission: ObjectAdmission;

  constructor(request: ResourceRequest, operation: 'create' | 'update', options: OperationOptions) {
    this.#request = request;
    this.#admission = admissionOf(request, operation, options);
  }

  /** May change `object`. */
  async mutate(object: ApiObject, old: ApiObject | undefined): Promise<void> {
    const sent = dropDuplicateOwners(object.metadata, 'sent');
    await this.#admission.mutate(object, old);
    requireSamePlace(this.#request, object, old);
    await authorizeWrite(this.#request, object, old);
    const admitted = dropDuplicateOwners(object.metadata, 'admitted');
    addWarnings(
      this.#request.context,
      [sent, admitted].filter((warning) => warning !== undefined),
    );
  }

  /** For the store, which asks just before it writes. */
  readonly validate: ValidatingAdmission = (object, old) => this.#admission.validate(object, old);

  /** As `validate`, of a new object that an update or an apply makes: they need the right to create it as well. */
  readonly validateCreation: ValidatingAdmission = async (object, old) => {
    const { user, server, client, info } = this.#request;
    const { isResource, path, group, version, namespace, resource, subresource, name } = info;
    const attributes = { user, isResource, verb: 'create', path, group, version, namespace, resource, subresource, name };
    const decision = await server.authorizer.authorize(attributes, client);
    if (decision.decision !== 'allow') throw refusedBy(attributes, decision, server.identity);
    return this.validate(object, old);
  };
}

/**
 * What admission has made of the object still is the one that the request is about; a new one may have got another name.
 * @throws StatusError BadRequest, Invalid
 */
function requireSamePlace(request: ResourceRequest, object: ApiObject, old: ApiObject | undefined): void {
  requireNamespace(request, object);
  const { name = '' } = object.metadata;
  const before = old?.metadata.name ?? name;
  if (name === before) return;
  const { group, kind } = request.kind;
  throw newInvalid({ group, kind }, before, [invalid('metadata.name', name, 'field is immutable')]);
}

/** What a kind wants to know about the writer besides leave for the verb. @throws StatusError */
async function authorizeWrite(request: ResourceRequest, object: ApiObject, old: ApiObject | undefined): Promise<void> {
  const { server, client, store, info, user } = request;
  if (info.subresource !== '' || store?.hub.rules.authorizeWrite === undefined) return;
  await server.grants.settled();
  const { group, version, namespace, resource, name } = info;
  await store.hub.rules.authorizeWrite(object, old, {
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
    heldRules: (scope) => server.grants.held(user, scope),
    roleRules: (kind, roleName, scope) => server.grants.roleRules(kind, roleName, scope),
  });
}

function resourceOf({ groupVersions }: RegistrySnapshot, apiVersion: string, kind: string): string | undefined {
  const served = groupVersions.find(({ group, version }) => apiVersion === (group === '' ? version : `${group}/${version}`));
  return served?.resources.find((resource) => resource.kind === kind)?.name;
}
