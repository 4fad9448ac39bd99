/** Decodes YAML bytes as UTF-8, or as UTF-16 if they begin with its byte order mark. */
import { isUtf8 } from 'node:buffer';
import { YamlSyntaxError } from './yaml-syntax-error.ts';

const MARK = '\ufeff';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no text in YAML has
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** @throws YamlSyntaxError, in the words of 1.32, for invalid bytes, and for characters that YAML does not allow */
export function yamlText(bytes: Buffer): string {
  const text = decoded(bytes);
  if (CONTROL.test(text)) throw new YamlSyntaxError('control characters are not allowed');
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return utf16Text(bytes);
  if (first === 0xfe && second === 0xff)
    return utf16Text(Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16(), bytes.length);
  if (!isUtf8(bytes)) throw new YamlSyntaxError(utf8Problem(bytes));
  return bytes.toString('utf8');
}

/** @param bytes in little-endian order @param length their number before an odd last byte was removed */
function utf16Text(bytes: Buffer, length = bytes.length): string {
  const text = bytes.toString('utf16le');
  const problem = utf16Problem(text) ?? (length % 2 === 1 ? 'incomplete UTF-16 character' : undefined);
  if (problem !== undefined) throw new YamlSyntaxError(problem);
  return text;
}

function utf16Problem(text: string): string | undefined {
  if (text.isWellFormed()) return undefined;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit >= 0xdc00) return 'unexpected low surrogate area';
    if (i + 1 === text.length) return 'incomplete UTF-16 surrogate pair';
    const low = text.charCodeAt(++i);
    if (low < 0xdc00 || low > 0xdfff) return 'expected low surrogate area';
  }
  return undefined;
}

/** The problem of the first bytes that are no character. @param bytes must be no valid UTF-8 */
function utf8Problem(bytes: Buffer): string {
  for (let i = 0; i < bytes.length; ) {
    const width = widthOf(bytes[i] as number);
    if (width === 0) return 'invalid leading UTF-8 octet';
    if (i + width > bytes.length) return 'incomplete UTF-8 octet sequence';
    const end = i + width;
    for (let next = i + 1; next < end; next++) if (((bytes[next] as number) & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet';
    if (!isUtf8(bytes.subarray(i, end)))
      return isShort(bytes, i, width) ? 'invalid length of a UTF-8 sequence' : 'invalid Unicode character';
    i = end;
  }
  return 'incomplete UTF-8 octet sequence';
}

function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 0;
}

/** Whether a character has an overlong form. */
function isShort(bytes: Buffer, at: number, width: number): boolean {
  const [lead, next] = [bytes[at] as number, bytes[at + 1] as number];
  if (width === 2) return lead < 0xc2;
  return width === 3 ? lead === 0xe0 && next < 0xa0 : lead === 0xf0 && next < 0x90;
}
