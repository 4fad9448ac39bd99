/** Checks the expressions of validating policies against the kinds that they are about, and writes into their status what does not fit. */
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from '../../../generated/admissionregistration/v1/types.ts';
import type { StructType as Struct } from '../../contract/descriptor.ts';
import { type CustomDefinition, versionOf } from '../../custom-resources/definition.ts';
import type { Type } from '../../expressions/types/type.ts';
import { stored } from '../../kinds/admissionregistration/expressions/admission-environments.ts';
import type { CustomSchema } from '../../kinds/custom-objects/custom-schema.ts';
import { declaredType } from '../../kinds/custom-objects/rules/declared-type.ts';
import type { Kind } from '../../registry/kind.ts';
import type { Resource } from '../../registry/resource.ts';
import { storagePrefix } from '../../registry/resource-keys.ts';
import { numeric } from '../../schema/scalar/raw-number.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, prefixEnd } from '../../storage/storage.ts';
import { storedObject } from '../condition-controller.ts';
import type { Controller } from '../controller.ts';
import type { ControllerServer } from '../controller-server.ts';
import { ControllerWriter } from '../controller-writer.ts';
import { WorkQueue } from '../work-queue.ts';
import { objectType } from './object-types.ts';
import { typeWarnings } from './type-checking.ts';
import { type CheckedKind, typesToCheck } from './types-to-check.ts';

const MANAGER = 'validatingadmissionpolicy-status-controller';
const WORKERS = 5;

/** @returns undefined where no such policies are served */
export function policyStatus(server: ControllerServer): PolicyStatus | undefined {
  const group = server.identity.text('admissionregistration.${groupDomain}');
  const resource = server.registry.current.resourceOfForm(group, 'v1', 'validatingadmissionpolicies');
  return resource && new PolicyStatus(server, resource);
}

export class PolicyStatus implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;

  constructor(server: ControllerServer, resource: Resource) {
    this.#server = server;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#writer = new ControllerWriter(server, MANAGER);
    this.#queue = new WorkQueue({
      workers: WORKERS,
      process: (name) => this.#process(name),
      failed: (name, error) => server.log.error({ err: error, name }, 'a policy could not be checked; it is tried again'),
    });
  }

  async list(): Promise<void> {
    const keys = this.#server.storage.range({ start: this.#prefix, end: prefixEnd(this.#prefix) });
    for (const { key } of keys) this.#queue.add(key.slice(this.#prefix.length));
  }

  changed({ key, operation }: Change): void {
    if (key.startsWith(this.#prefix) && operation !== 'delete') this.#queue.add(key.slice(this.#prefix.length));
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #process(name: string): Promise<void> {
    const policy = storedObject(this.#server.storage, this.#resource, '', name) as ValidatingAdmissionPolicy | undefined;
    const generation = policy?.metadata.generation ?? 0;
    if (policy === undefined || generation <= numeric(policy.status?.observedGeneration)) return;
    const expressionWarnings = await this.#warnings(policy.spec ?? {});
    const status = { observedGeneration: generation, typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings } };
    const { apiVersion, data } = this.#resource;
    const intent = { apiVersion, kind: data.kind, metadata: { name }, status };
    try {
      await this.#writer.applyStatus({ resource: this.#resource, namespace: '', name }, intent);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #warnings(spec: ValidatingAdmissionPolicySpec) {
    const { featureEnabled } = this.#server;
    const kinds = [];
    for (const kind of typesToCheck(spec.matchConstraints ?? {}, (group, version, resource) => this.#kindsFor(group, version, resource))) {
      const type = await this.#typeOf(kind);
      if (type !== undefined) kinds.push({ ...kind, type });
    }
    const params = spec.paramKind && (await this.#typeOf(parsed(spec.paramKind)));
    return typeWarnings(spec, { kinds, params }, stored({ authorizeWithSelectors: featureEnabled('AuthorizeWithSelectors') }));
  }

  /** Resources are found by either of their names; no group stands for all of them, as for the mapper of 1.32. */
  #kindsFor(group: string, version: string, resource: string): readonly CheckedKind[] {
    return this.#server.registry.current.groupVersions
      .filter((each) => each.version === version && (group === '' || each.group === group))
      .flatMap((each) =>
        each.resources
          .filter(({ name, singular }) => name === resource || singular === resource)
          .map(({ kind }) => ({ group: each.group, version: each.version, kind })),
      );
  }

  /** @returns undefined for a kind that is not served */
  async #typeOf({ group, version, kind }: CheckedKind): Promise<Type | undefined> {
    const snapshot = this.#server.registry.current;
    const served = snapshot.groupVersions.find((each) => each.group === group && each.version === version);
    const data = served?.resources.find((each) => each.kind === kind);
    const resource = data && snapshot.resource(group, version, data.name);
    if (resource === undefined) return undefined;
    const found = await snapshot.findKind(group, version, kind);
    if (found === undefined) return undefined;
    return resource.data.isDefined === true ? this.#customType(resource, found) : objectType(found.data.type, kind);
  }

  /** Published schemas of custom kinds have the metadata of all objects. */
  #customType({ data, groupVersion: { group, version } }: Resource, { kind, data: { type } }: Kind): Type | undefined {
    const definitions = this.#server.identity.text('apiextensions.${groupDomain}');
    const resource = this.#server.registry.current.resource(definitions, 'v1', 'customresourcedefinitions');
    const definition = resource && storedObject(this.#server.storage, resource, '', `${data.name}.${group}`);
    if (definition === undefined) return undefined;
    const schema = versionOf(definition as unknown as CustomDefinition, version).schema?.openAPIV3Schema as CustomSchema | undefined;
    const own = schema && declaredType(schema, true, kind)?.type;
    if (own === undefined || own.kind !== 'struct') return undefined;
    const { metadata } = type as Struct;
    const metadataType = metadata && objectType(metadata, `${kind}.metadata`);
    return { kind: 'struct', name: kind, field: (name) => (name === 'metadata' ? metadataType : own.field(name)) };
  }
}

function parsed({ apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): CheckedKind {
  const slash = apiVersion.indexOf('/');
  return slash === -1
    ? { group: '', version: apiVersion, kind }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
}
