/** Texts of messages, as methods that gogo/protobuf generates for them make: `LabelSelector{MatchLabels:map[string]string{a: b,},…}`. */
import { compareUtf8, type JsonObject } from '../schema/json/member.ts';
import { type GoStruct, type GoType, scalarText, typeName } from './go-type.ts';

export function messageText({ name, fields }: GoStruct, value: unknown): string {
  const members = fields.map((field) => `${field.name}:${memberText(field.type, field.of(value))},`);
  return `${unqualified(name)}{${members.join('')}}`;
}

const unqualified = (name: string): string => name.slice(name.indexOf('.') + 1);

function memberText(type: GoType, value: unknown): string {
  switch (type.kind) {
    case 'pointer':
      return pointerText(type.element, value);
    case 'struct':
      return messageText(type, value);
    case 'map':
      return mapText(type.value, (value ?? {}) as JsonObject);
    case 'slice':
      return sliceText(type.element, (value ?? []) as readonly unknown[]);
    default:
      return plainText(type, value);
  }
}

function pointerText(element: GoType, value: unknown): string {
  if (value === undefined) return 'nil';
  return element.kind === 'struct' ? `&${messageText(element, value)}` : `*${memberText(element, value)}`;
}

function mapText(type: GoType, values: JsonObject): string {
  const names = Object.keys(values).sort(compareUtf8);
  return `map[string]${typeName(type)}{${names.map((name) => `${name}: ${memberText(type, values[name])},`).join('')}}`;
}

/** Messages are named one by one, other elements stand between blanks. */
function sliceText(element: GoType, values: readonly unknown[]): string {
  if (element.kind !== 'struct') return `[${values.map((value) => memberText(element, value)).join(' ')}]`;
  return `[]${unqualified(element.name)}{${values.map((value) => `${messageText(element, value)},`).join('')}}`;
}

function plainText({ kind }: GoType, value: unknown): string {
  if (kind === 'string') return (value as string | undefined) ?? '';
  return scalarText(value ?? (kind === 'bool' ? false : 0));
}
