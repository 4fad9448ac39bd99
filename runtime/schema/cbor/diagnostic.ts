/** Writes CBOR in diagnostic notation (RFC 8949 section 8) as 1.32 shows it: byte strings that are UTF-8 as texts. */
import { isUtf8 } from 'node:buffer';
import { ARRAY, BYTES, INDEFINITE, informationOf, MAP, NEGATIVE, POSITIVE, TAG, TEXT } from './head.ts';
import { CborReader } from './reader.ts';

/** @param bytes must be well-formed */
export function diagnosed(bytes: Buffer): string {
  const parts: string[] = [];
  write(new CborReader(bytes), parts);
  return parts.join('');
}

function write(reader: CborReader, parts: string[]): void {
  const isIndefinite = informationOf(reader.next) === INDEFINITE;
  const { major } = reader;
  if (major === ARRAY) return writeEach(reader, parts, isIndefinite ? '[_ ' : '[', ']');
  if (major === MAP) return writeEach(reader, parts, isIndefinite ? '{_ ' : '{', '}', writePair);
  if (major !== BYTES && major !== TEXT) return writeScalar(reader, parts);
  if (!isIndefinite) parts.push(major === TEXT ? quoted(reader.string(), '"') : shownBytes(reader.string()));
  else if (reader.bytes[reader.at + 1] === 0xff) {
    reader.at += 2;
    parts.push(major === TEXT ? '""_' : "''_");
  } else writeEach(reader, parts, '(_ ', ')');
}

function writePair(reader: CborReader, parts: string[]): void {
  write(reader, parts);
  parts.push(': ');
  write(reader, parts);
}

function writeEach(reader: CborReader, parts: string[], open: string, close: string, item = write): void {
  parts.push(open);
  reader.each((index) => {
    if (index > 0) parts.push(', ');
    item(reader, parts);
  });
  parts.push(close);
}

const SIMPLE = new Map<number | bigint, string>([
  [20, 'false'],
  [21, 'true'],
  [22, 'null'],
  [23, 'undefined'],
]);

function writeScalar(reader: CborReader, parts: string[]): void {
  const { major } = reader;
  if (reader.isFloat) {
    parts.push(shownFloat(reader.float()));
    return;
  }
  const number = reader.head() as number | bigint;
  if (major === POSITIVE) parts.push(String(number));
  else if (major === NEGATIVE) parts.push(String(-1n - BigInt(number)));
  else if (major === TAG) {
    parts.push(`${number}(`);
    write(reader, parts);
    parts.push(')');
  } else parts.push(SIMPLE.get(number) ?? `simple(${number})`);
}

/** The notation always has a decimal point. */
function shownFloat(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : text.replace(/^-?\d+/, '$&.0');
}

function shownBytes(bytes: Buffer): string {
  return bytes.length > 0 && isUtf8(bytes) ? quoted(bytes, "'") : `h'${bytes.toString('hex')}'`;
}

const ESCAPED: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

/** Characters other than printable ASCII become `\uXXXX`, one for each UTF-16 code unit. */
function quoted(bytes: Buffer, mark: string): string {
  const text = bytes.toString('utf8').replace(/[^ -~]|[\\'"]/gu, (character) => {
    if (character === mark) return `\\${mark}`;
    if (character === "'" || character === '"') return character;
    return ESCAPED[character] ?? Array.from({ length: character.length }, (_, i) => unit(character.charCodeAt(i))).join('');
  });
  return `${mark}${text}${mark}`;
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
