/** Reads the types of fields, elements and values: makes a `TypeUse` of an OpenAPI schema. */
import type { ScalarName } from '../../runtime/contract/descriptor.ts';
import type { Report } from '../check/diagnostic.ts';
import { readMarks } from '../read/forms.ts';
import { isReference, type JsonObject, objectAt, type SchemaObject, type SchemaOrReference } from '../read/sources.ts';
import { CONSTRAINT_KEYWORDS } from './constraints/stated-entries.ts';
import type { RawType, TypeIndex } from './index-types.ts';
import type { JsonType, Ownership, PrimitiveUse, TypeUse } from './model.ts';

/** Keywords that the schema of a field may have besides those of its type. */
const FIELD_KEYWORDS = new Set<string>(['description', 'default', 'example', 'nullable', ...CONSTRAINT_KEYWORDS]);
const TYPE_KEYWORDS = new Set(['type', 'format', 'enum', 'items', 'additionalProperties', '$ref', 'allOf']);

const SCALARS: Readonly<Record<string, ScalarName>> = {
  'string ': 'string',
  'string byte': 'bytes',
  'boolean ': 'boolean',
  'integer int32': 'int32',
  'integer int64': 'int64',
  'number ': 'double',
  'number double': 'double',
};

const ANY: PrimitiveUse = { kind: 'primitive', scalar: 'json' };

/** Reads types, and reports schemas of a form that it does not know. */
export class TypeReader {
  readonly #index: TypeIndex;
  readonly #report: Report;

  constructor(index: TypeIndex, report: Report) {
    this.#index = index;
    this.#report = report;
  }

  /**
   * @param schema the schema of a property
   * @param path the place of the schema in the document of `raw`, for reports
   */
  field(schema: SchemaOrReference, raw: RawType, path: string): TypeUse {
    this.#refuseOtherKeywords(schema, raw, path, FIELD_KEYWORDS);
    return this.#use(schema, raw, path, schema as JsonObject);
  }

  /** @param schema the schema of a list's items or of a map's values */
  #element(schema: SchemaOrReference | boolean | undefined, raw: RawType, path: string): TypeUse {
    if (typeof schema !== 'object') {
      this.#report('CS011', { file: raw.file, path }, 'There is no schema.');
      return ANY;
    }
    const marks = readMarks('item', schema, { file: raw.file, path }, this.#report);
    this.#refuseOtherKeywords(schema, raw, path, new Set(['description']));
    return this.#use(schema, raw, path, marks);
  }

  #use(schema: SchemaOrReference, raw: RawType, path: string, marks: JsonObject): TypeUse {
    const ownership = readOwnership(marks);
    const use = { ...this.#plainUse(schema, raw, path, marks), ...(ownership !== undefined && { ownership }) };
    const typeName = marks['x-cluster-type-name'];
    if (typeof typeName !== 'string') return use;
    if (use.kind !== 'named') return { ...use, typeName };
    this.#report('CS011', { file: raw.file, path }, 'x-cluster-type-name has no meaning beside a reference.');
    return use;
  }

  #plainUse(schema: SchemaOrReference, raw: RawType, path: string, marks: JsonObject): TypeUse {
    if (isReference(schema)) return this.#named(schema.$ref, raw);
    // OpenAPI 3.0 allows nothing beside `$ref`, so a reference with siblings stands alone in `allOf`.
    const [only, ...others] = schema.allOf ?? [];
    if (only !== undefined && isReference(only) && others.length === 0) return this.#named(only.$ref, raw);
    if (schema.type === 'array') return { kind: 'list', element: this.#element(schema.items, raw, `${path}.items`) };
    if (schema.type === 'object' && schema.additionalProperties !== undefined)
      return { kind: 'map', value: this.#element(schema.additionalProperties, raw, `${path}.additionalProperties`) };
    if (schema.type === undefined && schema.allOf === undefined) return ANY;
    return this.#primitive(schema, raw, path, marks);
  }

  /** @returns the type of any value for a reference that leads nowhere, which was reported when it was read */
  #named(reference: string, raw: RawType): TypeUse {
    const target = this.#index.resolve(reference, raw);
    return target === undefined ? ANY : { kind: 'named', definition: target.definition };
  }

  #primitive(schema: SchemaObject, raw: RawType, path: string, marks: JsonObject): PrimitiveUse {
    const { type, format } = schema as { type: JsonType; format?: string };
    const known = SCALARS[`${type} ${format ?? ''}`] ?? (type === 'string' ? 'string' : undefined);
    if (known === undefined) {
      const form =
        schema.allOf !== undefined
          ? 'allOf with other than one $ref'
          : `type ${type}${format === undefined ? '' : ` with format ${format}`}`;
      this.#report('CS011', { file: raw.file, path }, `${form} is none of the forms.`, formRemedy(type));
      return ANY;
    }
    const use: { -readonly [K in keyof PrimitiveUse]: PrimitiveUse[K] } = { kind: 'primitive', scalar: known, type };
    if (format !== undefined) use.format = format;
    if (schema.enum !== undefined) use.enum = schema.enum.map(String);
    const constants = marks['x-cluster-constants'];
    if (Array.isArray(constants)) use.constants = constants.map(String);
    const lifespans = readLifespans(marks);
    if (lifespans !== undefined) use.lifespans = lifespans;
    if (use.enum === undefined ? marks['x-cluster-closed'] === true : marks['x-cluster-open'] !== true) use.closed = true;
    return use;
  }

  #refuseOtherKeywords(schema: SchemaOrReference, raw: RawType, path: string, besides: ReadonlySet<string>): void {
    for (const keyword of Object.keys(schema)) {
      if (keyword.startsWith('x-') || TYPE_KEYWORDS.has(keyword) || besides.has(keyword)) continue;
      const remedy = 'Put constraints into x-cluster-validations, and structures into a schema of their own.';
      this.#report('CS011', { file: raw.file, path }, `The keyword ${keyword} has no meaning here.`, remedy);
    }
  }
}

function readOwnership(marks: JsonObject): Ownership | undefined {
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': listMapKeys, 'x-kubernetes-map-type': mapType } = marks;
  const stated = Object.entries({ listType, listMapKeys, mapType }).filter(([, value]) => value !== undefined);
  return stated.length === 0 ? undefined : Object.fromEntries(stated);
}

function readLifespans(marks: JsonObject): PrimitiveUse['lifespans'] {
  const since = objectAt(marks, 'x-cluster-enum-since') as Record<string, string>;
  const until = objectAt(marks, 'x-cluster-enum-until') as Record<string, string>;
  const values = [...new Set([...Object.keys(since), ...Object.keys(until)])];
  if (values.length === 0) return undefined;
  return Object.fromEntries(
    values.map((value) => [
      value,
      { ...(since[value] !== undefined && { since: since[value] }), ...(until[value] !== undefined && { until: until[value] }) },
    ]),
  );
}

function formRemedy(type: unknown): string | undefined {
  if (type === 'integer') return 'Give an integer the format int32 or int64.';
  if (type === 'object') return 'Make the object a schema of its own, or a map with additionalProperties.';
  return undefined;
}
