/**
 * What expressions know of objects of a kind, as 1.32 makes types of OpenAPI schemas (apiserver/pkg/cel/common). Types of fields are made when an expression
 * reads them.
 */
import type { Type as Described, Field, ScalarName, StructType as Struct } from '../../contract/descriptor.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
} from '../../expressions/types/type.ts';
import { escapeProperty, isFieldWord } from '../../structural-schema/rules/property-names.ts';

/** Scalars whose schemas state no type are not shown to expressions, such as quantities. */
const SCALARS: Readonly<Partial<Record<ScalarName, Type>>> = {
  string: STRING,
  boolean: BOOL,
  int32: INT,
  int64: INT,
  double: DOUBLE,
  bytes: BYTES,
  time: TIMESTAMP,
  microTime: TIMESTAMP,
  duration: STRING,
  intOrString: DYN,
};

/** Scalars that are objects of any form. */
const OBJECTS: ReadonlySet<ScalarName> = new Set(['rawExtension', 'fieldsV1']);

/**
 * @param described a kind of the server's own
 * @param name of the type, as messages have it; those of its parts begin with it
 * @param within structs that it is in: what holds itself is an object without fields there
 * @returns undefined for values of which expressions know nothing
 */
export function objectType(described: Described, name: string, within: readonly Struct[] = []): Type | undefined {
  switch (described.kind) {
    case 'scalar':
      return OBJECTS.has(described.scalar) ? struct(name, {}) : SCALARS[described.scalar];
    case 'list': {
      const element = objectType(described.element, `${name}.@idx`, within);
      return element && listOf(element);
    }
    case 'map': {
      const value = objectType(described.value, `${name}.@elem`, within);
      return value && mapOf(STRING, value);
    }
    case 'struct':
      return within.some((each) => each.name === described.name) ? struct(name, {}) : structType(described, name, [...within, described]);
    default:
      return undefined;
  }
}

function structType(described: Struct, name: string, within: readonly Struct[]): StructType {
  const made = new Map<string, Type | undefined>();
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    kind: 'struct',
    name,
    field(asked) {
      const escaped = isFieldWord(asked) ? (escapeProperty(asked) as string) : asked;
      if (made.has(escaped)) return made.get(escaped);
      fields ??= fieldsOf(described);
      const field = fields.get(escaped);
      const type = field && objectType(field.type, `${name}.${escaped}`, within);
      made.set(escaped, type);
      return type;
    },
  };
}

/** Returns the fields of a struct, including those of inline structs, by the names that expressions have for them. */
function fieldsOf({ fields }: Struct): ReadonlyMap<string, Field> {
  const all = fields.flatMap((field): (readonly [string, Field])[] => {
    if (field.go?.inline === true && field.type.kind === 'struct') return [...fieldsOf(field.type)];
    const escaped = escapeProperty(field.name);
    return escaped === undefined ? [] : [[escaped, field]];
  });
  return new Map(all);
}
