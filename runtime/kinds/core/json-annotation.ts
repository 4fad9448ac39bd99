/** Annotations whose text is JSON. Their types are of the time before the fields that replaced them, and no schema states them. */
import { parseJson } from '../../schema/json/json-text.ts';
import { isObject } from '../../schema/json/member.ts';
import { jsonKind } from '../../schema/scalar/scalar-error.ts';

/** What an element has, by the names that its type gives. */
export type Element = Record<string, string | number>;

/** The members of an element, with their JSON kinds. */
export interface ElementType {
  /** as errors name it */
  readonly name: string;
  /** of the type, where it is not internal; its members have their names of JSON then */
  readonly version?: string;
  readonly members: Readonly<Record<string, 'string' | 'number'>>;
}

/**
 * The list that an annotation holds, its elements with the declared members alone, whose names may be in any case.
 * @throws Error worded as in 1.32 for a text that is no JSON, JsonSyntaxError among them, or of another type
 */
export function listOf(text: string, type: ElementType): Element[] {
  const value: unknown = parseJson(text).value;
  if (value === null) return [];
  if (!Array.isArray(value)) throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type []${typeText(type)}`);
  return value.map((element) => elementOf(element, type));
}

function elementOf(element: unknown, type: ElementType): Element {
  const { members } = type;
  if (element === null) return {};
  if (!isObject(element)) throw new Error(`json: cannot unmarshal ${jsonKind(element)} into Go value of type ${typeText(type)}`);
  const read: Element = {};
  for (const [key, value] of Object.entries(element)) {
    const member = Object.keys(members).find((each) => each.toLowerCase() === key.toLowerCase());
    if (member === undefined || value === null) continue;
    const wanted = members[member] === 'number' ? 'int64' : 'string';
    if (jsonKind(value) !== members[member])
      throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go struct field ${fieldText(type, member)} of type ${wanted}`);
    read[member] = value as string | number;
  }
  return read;
}

const typeText = ({ name, version = 'core' }: ElementType): string => `${version}.${name}`;
const fieldText = ({ name, version }: ElementType, member: string): string =>
  `${name}.${version === undefined ? member.charAt(0).toUpperCase() + member.slice(1) : member}`;
