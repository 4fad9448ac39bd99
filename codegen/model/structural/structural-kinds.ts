/**
 * Group versions whose kinds are stated as custom resource definitions state theirs. The model has each kind with its lifecycle, table and conversion, and its
 * schema as a whole.
 */
import { isObject, type SchemaObject } from '../../read/sources.ts';
import type { KnownDocument, RawType } from '../index-types.ts';
import type { FieldModel, NamedType, PrimitiveUse, StructModel, StructuralKind } from '../model.ts';
import { buildStruct, type StructContext } from '../struct.ts';
import { resolvedSchema } from './resolve-schema.ts';

const ANY: PrimitiveUse = { kind: 'primitive', scalar: 'json' };
/** Every kind has these members, whether its schema describes them or not. */
const TYPE_META = ['kind', 'apiVersion'];

/** @returns the kinds and their lists */
export function structuralTypes(document: KnownDocument, context: StructContext): NamedType[] {
  const kinds = kindsIn(document, context);
  return kinds.map((raw) => (isList(raw, kinds) ? buildStruct(raw, context) : buildKind(raw, context)));
}

/** @returns the kinds, without their lists, each with its whole schema */
export function structuralKinds(document: KnownDocument, context: StructContext): StructuralKind[] {
  const kinds = kindsIn(document, context);
  return kinds
    .filter((raw) => !isList(raw, kinds))
    .map((raw) => {
      const warning = raw.marks['x-cluster-deprecation-warning'] as string | undefined;
      return { name: raw.name, schema: resolvedSchema(raw, context), ...(warning !== undefined && { warning }) };
    });
}

function kindsIn(document: KnownDocument, { index }: StructContext): RawType[] {
  return index.typesOf(document).filter(({ marks }) => marks['x-cluster-kind'] === true);
}

const isList = ({ name }: RawType, kinds: readonly RawType[]): boolean => kinds.some((each) => `${each.name}List` === name);

/** The fields of a kind are its first members, each of any value: what is below them only those need who read the whole schema. */
function buildKind(raw: RawType, context: StructContext): StructModel {
  const { properties = {}, ...schema } = raw.schema;
  const { required = [] } = schema;
  const bare: SchemaObject = { type: 'object', ...(schema.description !== undefined && { description: schema.description }) };
  const struct = buildStruct({ ...raw, schema: bare }, context);
  const fields = Object.entries(properties).filter(([name]) => !TYPE_META.includes(name));
  return {
    ...struct,
    required: required.filter((name) => fields.some(([field]) => field === name)),
    fields: [...struct.fields, ...fields.map(([name, of]) => fieldOf(name, of, required.includes(name)))],
  };
}

function fieldOf(name: string, schema: unknown, required: boolean): FieldModel {
  const { description } = (isObject(schema) ? schema : {}) as { description?: string };
  return {
    name,
    ...(description !== undefined && { description }),
    type: ANY,
    pointer: false,
    always: false,
    inline: false,
    typeMeta: false,
    required,
  };
}
