/** The other direction of `der.ts`: as much of the distinguished encoding rules of ASN.1 (X.690) as making a certificate needs. */
import { INTEGER, OBJECT_IDENTIFIER, SEQUENCE } from './der.ts';

const BOOLEAN = 0x01;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SET = 0x31;

/** One element with its length. @param contents what stands in it, one after another */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...members: readonly Buffer[]): Buffer => element(SEQUENCE, ...members);
export const setOf = (member: Buffer): Buffer => element(SET, member);
export const octetString = (content: Buffer): Buffer => element(OCTET_STRING, content);
export const utf8String = (text: string): Buffer => element(UTF8_STRING, Buffer.from(text));
export const TRUE = element(BOOLEAN, Buffer.from([0xff]));

/** @param bytes big-endian, without superfluous zeros in front, the first one below 0x80 */
export const integer = (...bytes: readonly number[]): Buffer => element(INTEGER, Buffer.from(bytes));

/** @param text such as 2.5.4.3, whose first two numbers are small */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(OBJECT_IDENTIFIER, Buffer.from([40 * first + second, ...rest.flatMap(inSevenBits)]));
}

/** Groups of seven bits, the highest first; all but the last are marked. */
function inSevenBits(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** In whole seconds, as RFC 5280 section 4.1.2.5 wants it. @param milliseconds since 1970 */
export function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return digits < '2050' ? element(UTC_TIME, Buffer.from(digits.slice(2))) : element(GENERALIZED_TIME, Buffer.from(digits));
}
