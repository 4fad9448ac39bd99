/** Texts in the names of certificates and of requests for them: ASN.1 has several types of strings, which hold the same text in different bytes. */
import { isUtf8 } from 'node:buffer';
import type { DerElement } from './der.ts';

const latin1 = (content: Buffer): string => content.toString('latin1');

/** How the types of strings that names may have (RFC 5280 section 4.1.2.4) are read, by their tags. */
const READERS: Readonly<Record<number, (content: Buffer) => string>> = {
  // UTF8String
  12: (content) => (isUtf8(content) ? content.toString() : notText('it is no UTF-8')),
  // NumericString, PrintableString, TeletexString, IA5String
  18: latin1,
  19: latin1,
  20: latin1,
  22: latin1,
  // UniversalString
  28: (content) => inUnits(content, 4),
  // BMPString
  30: (content) => inUnits(content, 2),
};

/**
 * The text of a value, as OpenSSL reads it in a certificate. Whoever judges a request must not take its names for others than those that the certificate
 * will have: OpenSSL reads strings in pieces too, and leaves out what is no string, so both are no names here.
 * @throws RangeError for a value that is no string, or whose bytes are no text of its type
 */
export function nameText({ tag, content }: DerElement): string {
  const read = READERS[tag];
  if (read === undefined) return notText(`its tag is ${tag}`);
  const text = read(content);
  return text.isWellFormed() ? text : notText('it has half a surrogate pair');
}

/** @param size bytes of each character */
function inUnits(content: Buffer, size: 2 | 4): string {
  if (content.length % size !== 0) return notText('it ends within a character');
  return Array.from({ length: content.length / size }, (_, index) => String.fromCodePoint(content.readUIntBE(index * size, size))).join('');
}

function notText(why: string): never {
  throw new RangeError(`a name is no text: ${why}`);
}
