/** As much of the distinguished encoding rules of ASN.1 (X.690) as taking a signed request apart needs. */
export interface DerElement {
  readonly tag: number;
  /** with tag and length */
  readonly whole: Buffer;
  readonly content: Buffer;
}

export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;
/** the first optional member of a structure */
export const CONTEXT_0 = 0xa0;

/** The element at the beginning of the bytes. @throws RangeError where there is none */
function first(bytes: Buffer): DerElement {
  const tag = bytes.readUInt8(0);
  const short = bytes.readUInt8(1);
  if ((tag & 0x1f) === 0x1f || short === 0x80) throw new RangeError('unsupported tag or length');
  const size = short < 0x80 ? 0 : short & 0x7f;
  if (size > 4) throw new RangeError('length too large');
  const length = size === 0 ? short : bytes.readUIntBE(2, size);
  const start = 2 + size;
  if (start + length > bytes.length) throw new RangeError('data truncated');
  return { tag, whole: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) };
}

/** All elements that stand one after another. @throws RangeError for bytes that are none */
export function elements(bytes: Buffer): DerElement[] {
  const found: DerElement[] = [];
  for (let rest = bytes; rest.length > 0; rest = rest.subarray((found.at(-1) as DerElement).whole.length)) found.push(first(rest));
  return found;
}

/** The members of a sequence with these tags, further ones after them allowed. @throws RangeError for another structure */
export function members(element: DerElement | undefined, ...tags: readonly number[]): DerElement[] {
  if (element?.tag !== SEQUENCE) throw new RangeError('not a sequence');
  const found = elements(element.content);
  if (tags.some((tag, index) => found[index]?.tag !== tag)) throw new RangeError('unexpected structure');
  return found;
}
