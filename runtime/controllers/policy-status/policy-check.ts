/** The expressions of one validating policy against the kinds that it is about, as they are served now. */
import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '../../../generated/admissionregistration/v1/types.ts';
import type { StructType as Struct } from '../../contract/descriptor.ts';
import { type CustomDefinition, versionOf } from '../../custom-resources/definition.ts';
import type { Type } from '../../expressions/types/type.ts';
import { stored } from '../../kinds/admissionregistration/expressions/admission-environments.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { declaredType } from '../../structural-schema/rules/declared-type.ts';
import { storedObject } from '../conditions/condition-controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { objectType } from './object-types.ts';
import { typeWarnings } from './type-checking.ts';
import { type CheckedKind, typesToCheck } from './types-to-check.ts';

export class PolicyCheck {
  readonly #server: ControllerServer;

  constructor(server: ControllerServer) {
    this.#server = server;
  }

  /** What of a policy does not fit the kinds that it is about. */
  async warnings(spec: ValidatingAdmissionPolicySpec): Promise<readonly ExpressionWarning[]> {
    const kinds = [];
    for (const kind of typesToCheck(spec.matchConstraints ?? {}, (group, version, resource) => this.#kindsFor(group, version, resource))) {
      const type = await this.#typeOf(kind);
      if (type !== undefined) kinds.push({ ...kind, type });
    }
    const params = spec.paramKind && (await this.#typeOf(parsed(spec.paramKind)));
    return typeWarnings(spec, { kinds, params }, stored({}));
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
