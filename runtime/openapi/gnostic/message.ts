/** Tables that describe how JSON documents become protobuf messages. */

/** How a JSON value is written: as a scalar, as the message with the named table, or, for `any`, as JSON text within a message. */
export type ValueType = 'string' | 'boolean' | 'double' | 'integer' | 'any' | (string & {});

export interface FieldShape {
  readonly number: number;
  readonly type: ValueType;
  /** whether the field is repeated; the JSON value is a list or a single element */
  readonly repeated?: boolean;
}

export interface MessageShape {
  /** fields by the names of JSON members, in ascending order of numbers */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** number of the repeated field for members that begin with `x-`, as pairs of name and value */
  readonly extensions?: number;
  /** repeated field for members that are not in `fields`, as pairs of name (1) and value (2) */
  readonly entries?: FieldShape;
  /** the only field, which contains the whole JSON value */
  readonly whole?: FieldShape;
  /** chooses one of several messages for a JSON value; undefined if the value has no form */
  readonly choose?: (value: unknown) => FieldShape | undefined;
  /** whether documents have thousands of members here, so that they are written one by one */
  readonly large?: boolean;
}

export type MessageTable = Readonly<Record<string, MessageShape>>;

/** @param text such as `5 Schema`, `8 string[]` */
export function field(text: string): FieldShape {
  const [number, type = ''] = text.split(' ');
  return type.endsWith('[]') ? { number: Number(number), type: type.slice(0, -2), repeated: true } : { number: Number(number), type };
}

export function fields(members: Readonly<Record<string, string>>): Readonly<Record<string, FieldShape>> {
  return Object.fromEntries(Object.entries(members).map(([name, text]) => [name, field(text)]));
}

/** A message that is either the value itself or a reference to it. */
export function orReference(text: string, reference: string): MessageShape {
  const [value, referring] = [field(text), field(reference)];
  return { choose: (json) => (isObject(json) && typeof json.$ref === 'string' ? referring : value) };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
