/**
 * Go types of the server's own that hold what the types of the wire describe: named and ordered alike, except where a field's `go.internal`
 * says otherwise. Types of the API stand in a package named for their group, those of metadata in that of their version.
 */
import type { Field, ScalarType, StructType, Type } from '../contract/descriptor.ts';
import { goTimeSyntax } from '../go-text/times.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { goName } from '../schema/text/go-name.ts';
import { QUANTITY, RESOURCE_QUANTITY } from './go-quantity.ts';
import type { GoField, GoStruct, GoType } from './go-type.ts';
import { messageText } from './message-text.ts';

const structs = new WeakMap<StructType, GoStruct>();

export function goStruct(struct: StructType): GoStruct {
  let known = structs.get(struct);
  if (known === undefined) {
    known = new StructBuilder(struct).build();
    structs.set(struct, known);
  }
  return known;
}

/** What a field of a struct holds, pointed to or not. */
export function goTypeOf(struct: StructType, field: Field): GoType {
  const { type } = new StructBuilder(struct).field(field);
  return type.kind === 'pointer' ? type.element : type;
}

/** Of `io.k8s.api.core.v1.Pod`: `core`. */
function packageOf({ name }: StructType): string {
  const [group = '', version = ''] = name.split('.').slice(-3);
  return group === 'meta' ? version : group;
}

/** Types of metadata are those of the wire, with the texts of its messages. */
const METADATA = 'v1';

const nameOf = (struct: StructType): string => `${packageOf(struct)}.${struct.name.split('.').at(-1)}`;

class StructBuilder {
  readonly #struct: StructType;
  readonly #package: string;

  constructor(struct: StructType) {
    this.#struct = struct;
    this.#package = packageOf(struct);
  }

  build(): GoStruct {
    let fields: readonly GoField[] | undefined;
    const build = (): readonly GoField[] => inOrder(this.#struct.fields).map((field) => this.field(field));
    const struct: GoStruct = {
      kind: 'struct',
      name: nameOf(this.#struct),
      pointerText: this.#package === METADATA ? (value) => `&${messageText(struct, value)}` : undefined,
      get fields() {
        fields ??= build();
        return fields;
      },
    };
    return struct;
  }

  field(field: Field): GoField {
    const moved = this.#struct.fields.filter(({ go }) => go?.internal?.in === field.name);
    const type = this.#type(field.type);
    const isPointer = field.go?.pointer === true && field.go.internal?.pointer !== false && type.kind !== 'slice' && type.kind !== 'map';
    const own = moved.length === 0 ? type : this.#with(moved, type as GoStruct);
    return {
      name:
        field.go?.internal?.name ??
        (field.go?.inline === true || field.name === 'metadata'
          ? (nameOf(field.type as StructType)
              .split('.')
              .at(-1) as string)
          : goName(field.name)),
      type: isPointer ? { kind: 'pointer', element: own } : own,
      of: moved.length === 0 ? memberOf(field) : withMoved(field, moved),
    };
  }

  /** A struct that has fields of the one around it, before its own. */
  #with(moved: readonly Field[], struct: GoStruct): GoStruct {
    return {
      kind: 'struct',
      name: struct.name,
      fields: [...moved.map((field) => this.field(inItsOwnPlace(field))), ...struct.fields],
    };
  }

  #type(type: Type): GoType {
    if (type.kind === 'struct') return goStruct(type);
    if (type.kind === 'list') return { kind: 'slice', element: this.#type(type.element) };
    if (type.kind === 'scalar') return this.#scalar(type);
    if (type.kind === 'any') return JSON_TEXT;
    const { typeName = '' } = type;
    const isResources = RESOURCES.test(typeName);
    const value = isResources && isQuantity(type.value) ? RESOURCE_QUANTITY : this.#type(type.value);
    return { kind: 'map', value, namedKeys: isResources, name: typeName.startsWith('map[') ? undefined : this.#name(typeName) };
  }

  #scalar(type: ScalarType): GoType {
    const name = this.#name(type.typeName ?? '');
    switch (type.scalar) {
      case 'string':
        return { kind: 'string', name: name ?? 'string' };
      case 'boolean':
        return { kind: 'bool', name: 'bool' };
      case 'int32':
      case 'int64':
        return { kind: 'number', name: name ?? type.scalar };
      case 'double':
        return { kind: 'number', name: name ?? 'float64' };
      case 'quantity':
        return QUANTITY;
      case 'intOrString':
        return INT_OR_STRING;
      case 'time':
        return TIME;
      case 'fieldsV1':
        return FIELDS;
      default:
        return JSON_TEXT;
    }
  }

  /** The wire's types of a version are those of the package. */
  #name(typeName: string): string | undefined {
    return typeName === '' ? undefined : typeName.replace(/^v\d\w*\./, `${this.#package}.`);
  }
}

/** Maps by resource names, which say what they are. */
const RESOURCES = /^v1\.ResourceList$|^map\[v1\.ResourceName\]/;

const isQuantity = (type: Type): boolean => type.kind === 'scalar' && type.scalar === 'quantity';

/** The fields that Go has, in its order. */
function inOrder(fields: readonly Field[]): Field[] {
  const own = fields.filter(({ go }) => go?.internal?.in === undefined && go?.internal?.absent !== true);
  const ordered = own.filter(({ go }) => go?.internal?.after === undefined);
  for (const field of own)
    if (field.go?.internal?.after !== undefined)
      ordered.splice(ordered.findIndex(({ name }) => name === field.go?.internal?.after) + 1, 0, field);
  return ordered;
}

/** A field that stood in another struct, as its own rules have it. */
function inItsOwnPlace(field: Field): Field {
  const { internal: _placed, ...go } = field.go ?? {};
  return { ...field, go };
}

function memberOf({ name, go }: Field): GoField['of'] {
  if (go?.inline === true) return (struct) => struct;
  return (struct) => (struct as JsonObject | undefined)?.[name] ?? undefined;
}

function withMoved({ name }: Field, moved: readonly Field[]): GoField['of'] {
  return (struct) => {
    if (!isObject(struct)) return undefined;
    const members = moved.filter((field) => struct[field.name] !== undefined).map((field) => [field.name, struct[field.name]]);
    const own = struct[name] as JsonObject | undefined;
    return own === undefined && members.length === 0 ? undefined : { ...own, ...Object.fromEntries(members) };
  };
}

const INT_OR_STRING: GoStruct = {
  kind: 'struct',
  name: 'intstr.IntOrString',
  fields: [
    { name: 'Type', type: { kind: 'number', name: 'intstr.Type' }, of: (value) => (typeof value === 'string' ? 1 : 0) },
    { name: 'IntVal', type: { kind: 'number', name: 'int32' }, of: (value) => (typeof value === 'string' ? undefined : value) },
    { name: 'StrVal', type: { kind: 'string', name: 'string' }, of: (value) => (typeof value === 'string' ? value : undefined) },
  ],
};

const TIME: GoStruct = {
  kind: 'struct',
  name: 'v1.Time',
  fields: [{ name: 'Time', type: { kind: 'string', name: 'time.Time' }, of: (time) => time }],
  equals: (x, y) => x === y,
  syntax: (time) => (time === undefined ? 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)' : goTimeSyntax(time as string)),
  text: (time) => ((time as string | undefined) ?? '0001-01-01T00:00:00Z').replace('T', ' ').replace('Z', ' +0000 UTC'),
};

/** What has no members to enter is shown by its JSON. */
const JSON_TEXT: GoStruct = {
  kind: 'struct',
  name: '',
  fields: [{ name: 'Raw', type: { kind: 'pointer', element: { kind: 'string', name: 'string' } }, of: (value) => value }],
  equals: (x, y) => JSON.stringify(x) === JSON.stringify(y),
  text: (value) => JSON.stringify(value) ?? '',
};

const FIELDS: GoStruct = { ...JSON_TEXT, name: 'v1.FieldsV1' };
