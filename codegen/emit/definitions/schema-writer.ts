/** Writes the structure of a kind as a structural schema: members, types, ownership and defaults. Constraints are added later. */
import type { ScalarName } from '../../../runtime/contract/descriptor.ts';
import type { FieldModel, Model, NamedType, StructModel, TypeUse } from '../../model/model.ts';
import { below, type SchemaNode, type TellLoss } from './schema-node.ts';

/** The pattern of texts that resource.ParseQuantity of Kubernetes reads. */
const QUANTITY = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';

const SCALARS: Readonly<Record<ScalarName, SchemaNode>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { 'x-kubernetes-int-or-string': true, pattern: QUANTITY },
  intOrString: { 'x-kubernetes-int-or-string': true },
  rawExtension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  json: { 'x-kubernetes-preserve-unknown-fields': true },
  structOrBoolean: { 'x-kubernetes-preserve-unknown-fields': true },
  structOrList: { 'x-kubernetes-preserve-unknown-fields': true },
  structOrNames: { 'x-kubernetes-preserve-unknown-fields': true },
};
const ZEROS: Readonly<Partial<Record<ScalarName, unknown>>> = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

export interface SchemaWriterParts {
  readonly model: Model;
  /** Fills in the names of a dialect. */
  readonly text: (template: string) => string;
  readonly tell: TellLoss;
}

export class SchemaWriter {
  readonly #parts: SchemaWriterParts;

  constructor(parts: SchemaWriterParts) {
    this.#parts = parts;
  }

  kind(struct: StructModel): SchemaNode {
    const { properties = {}, ...root } = this.#struct(struct, '', []);
    return { ...root, properties: { ...properties, metadata: { type: 'object' } } };
  }

  #struct(struct: StructModel, path: string, within: readonly StructModel[]): SchemaNode {
    const properties: Record<string, SchemaNode> = {};
    for (const field of this.#fields(struct)) {
      if (field.typeMeta || (struct.topLevel && field.name === 'metadata') || this.#isOff(field, below(path, field.name))) continue;
      properties[field.name] = this.#field(field, below(path, field.name), [...within, struct]);
    }
    return {
      ...(struct.description !== undefined && { description: this.#parts.text(struct.description) }),
      type: 'object',
      properties,
      ...(struct.mapType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
    };
  }

  /** @returns the fields whose members stand in the struct's JSON object: those of inline structs take the place of the inline field */
  #fields(struct: StructModel): FieldModel[] {
    return struct.fields.flatMap((field) => {
      const type = field.inline && field.type.kind === 'named' ? this.#parts.model.types.get(field.type.definition) : undefined;
      return type?.kind === 'struct' ? this.#fields(type) : [field];
    });
  }

  #isOff({ featureGate }: FieldModel, path: string): boolean {
    if (featureGate === undefined || gateIsOn(this.#parts.model, featureGate)) return false;
    this.#parts.tell(path, `stands behind the feature gate ${featureGate}, which is off: it is left out`);
    return true;
  }

  #field(field: FieldModel, path: string, within: readonly StructModel[]): SchemaNode {
    const { description, dependentDefaults = [], whileGated, gating, droppedAnnotations } = field;
    const node = this.#use(field.type, path, within);
    const preset = field.default ?? field.unpublishedDefault ?? this.#zero(field, path);
    if (dependentDefaults.length > 0) this.#parts.tell(path, 'has defaults that depend on other members: it gets none');
    if (droppedAnnotations !== undefined) this.#parts.tell(path, 'loses some of its annotations');
    if (gating?.element !== undefined) this.#parts.tell(path, 'takes more with it while its feature gate is off');
    if (whileGated !== undefined) this.#parts.tell(path, 'becomes another value while its feature gate is off');
    return {
      ...node,
      ...(description !== undefined && { description: this.#parts.text(description) }),
      ...(preset !== undefined && { default: this.#resolved(preset) }),
    };
  }

  #resolved(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? this.#parts.text(member) : member));
  }

  /** @returns the default of a member that the server writes even if nobody sets it. There is none in a status, which others write */
  #zero({ type, pointer, always }: FieldModel, path: string): unknown {
    if (path === 'status' && !pointer)
      this.#parts.tell(path, 'is written from the beginning, with zeros: that of a custom resource is absent');
    if (pointer || path === 'status' || path.startsWith('status.')) return undefined;
    const named = type.kind === 'named' ? this.#parts.model.types.get(type.definition) : undefined;
    if (named?.kind === 'struct') return {};
    return always && type.kind === 'primitive' ? ZEROS[type.scalar] : undefined;
  }

  #use(use: TypeUse, path: string, within: readonly StructModel[]): SchemaNode {
    const { listType, listMapKeys, mapType } = use.ownership ?? {};
    const ownership = mapType === undefined || mapType === 'granular' ? {} : { 'x-kubernetes-map-type': mapType };
    switch (use.kind) {
      case 'primitive':
        return { ...SCALARS[use.scalar], ...(use.format !== undefined && use.scalar === 'string' && { format: use.format }) };
      case 'list':
        return {
          type: 'array',
          items: this.#use(use.element, `${path}[]`, within),
          ...(listType !== undefined && listType !== 'atomic' && { 'x-kubernetes-list-type': listType }),
          ...(listMapKeys !== undefined && { 'x-kubernetes-list-map-keys': [...listMapKeys] }),
        };
      case 'map':
        return { type: 'object', additionalProperties: this.#use(use.value, `${path}.*`, within), ...ownership };
      default:
        return { ...this.#named(this.#parts.model.types.get(use.definition), path, within), ...ownership };
    }
  }

  #named(type: NamedType | undefined, path: string, within: readonly StructModel[]): SchemaNode {
    if (type === undefined) return { ...SCALARS.json };
    if (type.kind === 'scalar') {
      if (type.struct !== undefined) this.#parts.tell(path, 'takes values of several types: it takes any value');
      return { ...SCALARS[type.scalar], ...(type.description !== undefined && { description: this.#parts.text(type.description) }) };
    }
    if (!within.includes(type)) return this.#struct(type, path, within);
    this.#parts.tell(path, `holds what it is part of (${type.name}), which a structural schema does not say: it takes any value`);
    return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }
}

/** Whether a feature gate is on as long as nobody sets it. */
export function gateIsOn({ featureGates }: Pick<Model, 'featureGates'>, name: string): boolean {
  return featureGates.find((gate) => gate.name === name)?.stages.at(-1)?.default === true;
}
