/** Makes the published schemas of the model's types, in the form in which 1.32 publishes them. */
import type { ScalarName } from '../../../runtime/contract/descriptor.ts';
import { inEachVersion, isCommonKind } from '../../../runtime/openapi/description/common-kinds.ts';
import { type GroupVersionKind, META_PACKAGE, type Schema, schemaReference } from '../../../runtime/openapi/document.ts';
import type { FieldModel, GroupVersion, Model, NamedScalar, NamedType, PrimitiveUse, StructModel, TypeUse } from '../../model/model.ts';

/** The schemas of one release. Each is made once, when it is asked for. */
export class PublishedSchemas {
  readonly #model: Model;
  readonly #groupVersions: ReadonlyMap<string, GroupVersion>;
  readonly #schemas = new Map<string, Schema | undefined>();

  constructor(model: Model) {
    this.#model = model;
    this.#groupVersions = new Map(model.groupVersions.map((groupVersion) => [groupVersion.folder, groupVersion]));
  }

  /** @returns undefined for a definition that nothing states */
  get(definition: string): Schema | undefined {
    if (!this.#schemas.has(definition)) this.#schemas.set(definition, this.#make(definition));
    return this.#schemas.get(definition);
  }

  #make(definition: string): Schema | undefined {
    const type = this.#model.types.get(definition);
    if (type !== undefined) return type.kind === 'scalar' ? scalarSchema(type) : this.#structSchema(type);
    if (definition === `${META_PACKAGE}.Patch`) return PATCH;
    if (definition === `${META_PACKAGE}.WatchEvent`)
      return { ...WATCH_EVENT, 'x-kubernetes-group-version-kind': this.#everywhere('WatchEvent') };
    return undefined;
  }

  #structSchema(type: StructModel): Schema {
    const fields = this.#members(type);
    const required = [...new Set(fields.required)];
    return {
      ...description(type),
      type: 'object',
      ...(type.example !== undefined && { example: type.example }),
      ...(required.length > 0 && { required }),
      ...(fields.properties.length > 0 && { properties: Object.fromEntries(fields.properties.sort(([a], [b]) => (a < b ? -1 : 1))) }),
      ...(type.topLevel && { 'x-kubernetes-group-version-kind': this.#kinds(type) }),
      ...(type.mapType !== undefined && { 'x-kubernetes-map-type': type.mapType }),
      ...(type.unions !== undefined && { 'x-kubernetes-unions': type.unions }),
    };
  }

  /** @returns the members that stand in the struct's JSON object: those of inline structs take the place of the inline field */
  #members(type: StructModel): { properties: [string, Schema][]; required: readonly string[] } {
    const properties: [string, Schema][] = [];
    const required = [...type.required];
    for (const field of type.fields) {
      if (!field.inline) {
        properties.push([field.name, this.#property(field)]);
        continue;
      }
      const inlined = field.type.kind === 'named' ? this.#model.types.get(field.type.definition) : undefined;
      if (inlined?.kind !== 'struct') throw new Error(`${type.definition}.${field.name} is inline, but no struct`);
      const members = this.#members(inlined);
      properties.push(...members.properties);
      required.push(...members.required);
    }
    return { properties, required };
  }

  #property(field: FieldModel): Schema {
    const schema = this.#use(field.type);
    const value = field.default ?? (field.pointer ? undefined : this.#zero(field.type, field.always));
    return {
      ...(schema.$ref === undefined ? schema : { allOf: [schema] }),
      ...(field.typeMeta ? { description: TYPE_META[field.name] } : description(field)),
      ...(value !== undefined && { default: value }),
      ...(field.example !== undefined && { example: field.example }),
      ...ownership(field.type),
      ...(field.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.patchStrategies !== undefined && { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
    };
  }

  /** The schema of a list's element or a map's value. Such a value is always written, so its zero value is its default. */
  #element(use: TypeUse): Schema {
    const schema = this.#use(use);
    const value = this.#zero(use, true);
    const stated = { ...(value !== undefined && { default: value }), ...ownership(use) };
    if (Object.keys(stated).length === 0) return schema;
    return schema.$ref === undefined ? { ...schema, ...stated } : { allOf: [schema], ...stated };
  }

  #use(use: TypeUse): Schema {
    switch (use.kind) {
      case 'named':
        return schemaReference(use.definition);
      case 'list':
        return { type: 'array', items: this.#element(use.element) };
      case 'map':
        return { type: 'object', additionalProperties: this.#element(use.value) };
      default:
        return primitiveSchema(use);
    }
  }

  /**
   * @param written whether the member is written even if it is zero
   * @returns the value that a member without a pointer has if nobody sets it, where 1.32 publishes that as the default; otherwise undefined
   */
  #zero(use: TypeUse, written: boolean): unknown {
    if (use.kind === 'named') return this.#model.types.get(use.definition)?.kind === 'struct' ? {} : undefined;
    return use.kind === 'primitive' && written ? ZEROS[use.scalar] : undefined;
  }

  /**
   * @returns the group versions in which a kind is known. A kind of the machinery is known in all of them if it is a common kind, otherwise in v1 of the core
   * group. Any other kind is known in its own.
   */
  #kinds(type: StructModel): GroupVersionKind[] {
    const kind = type.name;
    if (!type.definition.startsWith(`${META_PACKAGE}.`)) {
      const { group, version } = this.#groupVersions.get(type.folder) as GroupVersion;
      return [{ group, kind, version }];
    }
    return isCommonKind(kind) ? this.#everywhere(kind) : [{ group: '', kind, version: 'v1' }];
  }

  #everywhere(kind: string): GroupVersionKind[] {
    return inEachVersion(
      kind,
      this.#model.groupVersions.filter(({ files, structural }) => !files && structural === undefined),
    );
  }
}

const ZEROS: Readonly<Partial<Record<ScalarName, unknown>>> = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

const PATCH: Schema = {
  description: 'A patch, in the form that its media type names.',
  type: 'object',
};

const WATCH_EVENT: Schema = {
  description: 'One change of something that is watched.',
  type: 'object',
  required: ['type', 'object'],
  properties: {
    object: {
      allOf: [schemaReference('io.k8s.apimachinery.pkg.runtime.RawExtension')],
      description:
        'The object after the change, or as it was before its deletion. A `BOOKMARK` has its kind and resource version alone, an `ERROR` is a Status.',
    },
    type: { default: '', description: '`ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.', type: 'string' },
  },
};

function primitiveSchema(use: PrimitiveUse): Schema {
  return {
    ...(use.type !== undefined && { type: use.type }),
    ...(use.format !== undefined && { format: use.format }),
    ...(use.enum !== undefined && { enum: use.enum.toSorted() }),
  };
}

function scalarSchema(type: NamedScalar): Schema {
  const form = { ...(type.type !== undefined && { type: type.type }), ...(type.format !== undefined && { format: type.format }) };
  return { ...description(type), ...(FORMS_OF_TWO_TYPES[type.scalar] ?? form) };
}

/** OpenAPI 3.0 allows only one `type`, so forms of two types have alternatives. */
const FORMS_OF_TWO_TYPES: Readonly<Partial<Record<ScalarName, Schema>>> = {
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
};

function ownership({ ownership: { listMapKeys, listType, mapType } = {} }: TypeUse): Schema {
  return {
    ...(listMapKeys !== undefined && { 'x-kubernetes-list-map-keys': listMapKeys }),
    ...(listType !== undefined && { 'x-kubernetes-list-type': listType }),
    ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
  };
}

/** What the documents say of the members that no schema states, because every top-level kind has them. */
const TYPE_META: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the schema that this representation follows. The server converts between the versions that it serves.',
  kind: 'Kind of the object, in CamelCase. It cannot be changed.',
};

function description({ description: text }: Pick<NamedType | FieldModel, 'description'>): { description?: string } {
  return text === undefined ? {} : { description: text };
}
