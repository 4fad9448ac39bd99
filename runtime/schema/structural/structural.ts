/**
 * Makes structural types from the schemas of custom resource definitions: types, semantics of lists and maps, defaults and marks. Formats,
 * limits and rules are left to validation.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import type {
  AnyType,
  Field,
  ListType,
  MapType,
  ScalarName,
  ScalarType,
  StructType,
  StructuralValue,
  Type,
} from '../../contract/descriptor.ts';

/** The members of JSONSchemaProps that make a type; others are ignored. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema | readonly StructuralSchema[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/**
 * Makes the type of a kind. Inner schemas are read when their fields are first used, so a schema must not change.
 * @param name of the type, such as `com.example.v1.Widget`
 * @param schema of the whole object; undefined: only metadata is declared
 * @param metadata Go's struct of metadata, here and in embedded resources
 * @param keepsAll whether nothing is dropped anywhere, neither unknown members nor null
 */
export function structuralType(name: string, schema: StructuralSchema | undefined, metadata: StructType, keepsAll = false): StructType {
  return new Reader(metadata, keepsAll).struct(name, schema ?? {}, true);
}

class Reader {
  readonly #metadata: StructType;
  readonly #keepsAll: boolean;

  constructor(metadata: StructType, keepsAll: boolean) {
    this.#metadata = metadata;
    this.#keepsAll = keepsAll;
  }

  #type(name: string, schema: StructuralSchema): Type {
    // as in 1.32 no type of it is published, so apply takes any value, and only validation checks it
    if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'any', ...this.#facetsOf(schema) };
    switch (schema.type) {
      case 'object':
        return this.#object(name, schema);
      case 'array':
        return this.#list(name, schema);
      case 'integer':
        return this.#scalar(schema.format === 'int32' ? 'int32' : 'int64', schema);
      case 'number':
        return this.#scalar('double', schema);
      case 'string':
        return this.#scalar(isPlainText(schema.format) ? 'string' : 'intOrString', schema);
      case 'boolean':
        return this.#scalar('boolean', schema);
      default:
        return this.#any(name, schema);
    }
  }

  /** The value may be an object or a list, so both are described. */
  #any(name: string, schema: StructuralSchema): AnyType {
    const { properties, additionalProperties, items } = schema;
    const isObject = properties !== undefined || additionalProperties !== undefined || isEmbedded(schema);
    return {
      kind: 'any',
      ...this.#facetsOf(schema),
      ...(isObject && { object: this.#object(name, schema) }),
      ...(items !== undefined && { list: this.#list(name, schema) }),
    };
  }

  #object(name: string, schema: StructuralSchema): StructType | MapType {
    const { properties = {}, additionalProperties } = schema;
    const isMap = additionalProperties !== undefined && Object.keys(properties).length === 0 && !isEmbedded(schema);
    if (!isMap) return this.struct(name, schema, isEmbedded(schema));
    return { kind: 'map', value: this.#others(name, additionalProperties), ...mapSemantics(schema), ...this.#facetsOf(schema) };
  }

  /** @param isOfApi whether it has apiVersion, kind and metadata */
  struct(name: string, schema: StructuralSchema, isOfApi: boolean): StructType {
    const { properties = {}, additionalProperties } = schema;
    const read = (): Field[] =>
      Object.entries(properties).map(([member, of]) => ({ name: member, type: this.#type(`${name}.${member}`, of) }));
    let fields: readonly Field[] | undefined;
    return {
      kind: 'struct',
      name,
      ...mapSemantics(schema),
      ...(isOfApi && { metadata: this.#metadata }),
      ...(additionalProperties !== undefined && { others: this.#others(name, additionalProperties) }),
      ...this.#facetsOf(schema),
      get fields() {
        fields ??= read();
        return fields;
      },
    };
  }

  #others(name: string, schema: StructuralSchema | boolean): Type {
    return typeof schema === 'boolean' ? this.#anything() : this.#type(`${name}.*`, schema);
  }

  /** The type of a value without a schema, which may be null. */
  #anything(): AnyType {
    return { kind: 'any', ...this.#facetsOf({ nullable: true }) };
  }

  #scalar(name: ScalarName, schema: StructuralSchema): ScalarType {
    return { kind: 'scalar', scalar: name, ...this.#facetsOf(schema) };
  }

  #facetsOf(schema: StructuralSchema): StructuralValue {
    return {
      ...((this.#keepsAll || schema.nullable === true) && { nullable: true }),
      ...((this.#keepsAll || schema['x-kubernetes-preserve-unknown-fields'] === true) && { preservesUnknown: true }),
      ...(schema.default !== undefined && schema.default !== null && { default: schema.default }),
    };
  }

  #list(name: string, schema: StructuralSchema): ListType {
    const { items } = schema;
    const element = items === undefined || isSeveral(items) ? this.#anything() : this.#type(`${name}[]`, items);
    return { kind: 'list', element, ...listSemantics(schema), ...this.#facetsOf(schema) };
  }
}

function isEmbedded(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function isSeveral(items: StructuralSchema | readonly StructuralSchema[]): items is readonly StructuralSchema[] {
  return Array.isArray(items);
}

function listSemantics(schema: StructuralSchema): Pick<ListType, 'listType' | 'listMapKeys'> {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'map') return { listType, listMapKeys: schema['x-kubernetes-list-map-keys'] ?? [] };
  return listType === 'set' ? { listType } : {};
}

function mapSemantics(schema: StructuralSchema): { readonly mapType?: 'atomic' } {
  return schema['x-kubernetes-map-type'] === 'atomic' ? { mapType: 'atomic' } : {};
}

/** For 1.32, texts of other formats have no type before validation, so that any scalar may be applied. */
const isPlainText = (format: string | undefined): boolean => format === undefined || format === '' || format === 'byte';
