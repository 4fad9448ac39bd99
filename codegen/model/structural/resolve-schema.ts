/** Puts the whole schema of a kind together from the schemas of its document, in the form that custom resource definitions have. */
import { isObject, isReference, type JsonObject, type SchemaOrReference } from '../../read/sources.ts';
import type { RawType } from '../index-types.ts';
import type { JsonSchema } from '../model.ts';
import type { StructContext } from '../struct.ts';

/** Members of JSONSchemaProps whose values are objects of schemas, lists of schemas, or one schema. */
const OF_MAPS = new Set(['properties']);
const OF_LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
const OF_ONE = new Set(['items', 'additionalProperties', 'not']);
const PLAIN = new Set([
  ...['type', 'format', 'title', 'description', 'default', 'enum', 'nullable', 'required', 'example', 'externalDocs'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/** @returns the schema of the whole object, without references and without the `x-cluster-` marks of the kind */
export function resolvedSchema(raw: RawType, context: StructContext): JsonSchema {
  return new SchemaResolver(context).type(raw, []);
}

class SchemaResolver {
  readonly #context: StructContext;

  constructor(context: StructContext) {
    this.#context = context;
  }

  /** @param within the types on the way from the kind; a type that holds itself is reported, because a structural schema ends */
  type(raw: RawType, within: readonly RawType[]): JsonSchema {
    if (!within.some(({ schema }) => schema === raw.schema))
      return { ...this.#schema(raw.schema, raw, raw.path, [...within, raw]), ...marksOf(raw) };
    const way = [...within.slice(within.findIndex(({ schema }) => schema === raw.schema)), raw].map(({ name }) => name);
    this.#context.report(
      'CS025',
      { file: raw.file, path: raw.path },
      `A structural schema ends: ${way.join(' holds ')}.`,
      'Leave one of them out, and let it take any value: x-kubernetes-preserve-unknown-fields.',
    );
    return {};
  }

  #schema(schema: SchemaOrReference, raw: RawType, path: string, within: readonly RawType[]): JsonSchema {
    const { reference, others } = referenceIn(schema);
    const own = this.#keywords(others, raw, path, within);
    if (reference === undefined) return own;
    const target = this.#context.index.resolve(reference, raw);
    // That a reference leads to nothing was reported when it was read.
    return target === undefined ? own : { ...this.type(target, within), ...own };
  }

  #keywords(schema: JsonObject, raw: RawType, path: string, within: readonly RawType[]): JsonSchema {
    const resolved: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      // Marks of a kind belong elsewhere in the model; those in other places are reported by `#value`.
      if (keyword.startsWith('x-cluster-')) continue;
      if (!PLAIN.has(keyword) && !keyword.startsWith('x-kubernetes-') && !isNested(keyword))
        this.#context.report('CS011', { file: raw.file, path }, `The keyword ${keyword} has no meaning in a structural schema.`);
      else resolved.push([keyword, this.#value(keyword, value, raw, `${path}.${keyword}`, within)]);
    }
    return Object.fromEntries(resolved);
  }

  #value(keyword: string, value: unknown, raw: RawType, path: string, within: readonly RawType[]): unknown {
    const nested = (schema: unknown, at: string): unknown => {
      if (!isObject(schema)) return schema;
      const wrong = Object.keys(schema).filter((key) => key.startsWith('x-cluster-'));
      for (const key of wrong)
        this.#context.report('CS012', { file: raw.file, path: at }, `There is no key ${key} in a structural schema.`);
      return this.#schema(schema as SchemaOrReference, raw, at, within);
    };
    if (OF_ONE.has(keyword)) return nested(value, path);
    if (OF_LISTS.has(keyword) && Array.isArray(value)) return value.map((each, index) => nested(each, `${path}.${index}`));
    if (OF_MAPS.has(keyword) && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, nested(each, `${path}.${name}`)]));
    return value;
  }
}

/** Marks that stand beside a reference to the schema of another version take the place of that schema's own. */
const marksOf = ({ marks }: RawType): JsonSchema =>
  Object.fromEntries(Object.entries(marks).filter(([name]) => name.startsWith('x-kubernetes-')));

const isNested = (keyword: string): boolean => OF_MAPS.has(keyword) || OF_LISTS.has(keyword) || OF_ONE.has(keyword);

/** A reference that stands alone in `allOf` has the keywords beside `allOf` as its siblings. These take the place of the target's. */
function referenceIn(schema: SchemaOrReference): { readonly reference?: string; readonly others: JsonObject } {
  if (isReference(schema)) {
    const { $ref: reference, ...others } = schema;
    return { reference, others };
  }
  const { allOf, ...others } = schema;
  const [only, ...further] = allOf ?? [];
  if (only !== undefined && isReference(only) && further.length === 0) return { reference: only.$ref, others: others as JsonObject };
  return { others: schema as JsonObject };
}
