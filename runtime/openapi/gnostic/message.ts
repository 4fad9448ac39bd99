/** Tables that say how JSON documents become protocol buffer messages; the encoder reads them. */

/**
 * How a JSON value is written: as a scalar, as any JSON value in the text of a message with that text alone, or as the named message.
 */
export type ValueType = 'string' | 'boolean' | 'double' | 'integer' | 'any' | (string & {});

export interface FieldShape {
  readonly number: number;
  readonly type: ValueType;
  /** the JSON value is a list, or one element of it */
  readonly repeated?: boolean;
}

export interface MessageShape {
  /** JSON members by name, by number ascending */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** repeated field for members whose name begins with `x-`, as pairs of name and any value */
  readonly extensions?: number;
  /** repeated field for members that `fields` does not name, as pairs of name (1) and value (2) */
  readonly entries?: FieldShape;
  /** the whole JSON value goes into one field */
  readonly whole?: FieldShape;
  /** one of several messages for the same JSON value; undefined for a value that has no form */
  readonly choose?: (value: unknown) => FieldShape | undefined;
  /** a document has thousands of members here: they are written one by one */
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

/** A message for the value itself, or for a reference to one that stands elsewhere. */
export function orReference(text: string, reference: string): MessageShape {
  const [value, referring] = [field(text), field(reference)];
  return { choose: (json) => (isObject(json) && typeof json.$ref === 'string' ? referring : value) };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
