/** The type of an answer whose server names none, told by its first bytes as Go's server tells it (https://mimesniff.spec.whatwg.org/ of 2012). */

/** The number of bytes that are looked at. */
const LOOKED_AT = 512;
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const UNKNOWN = 'application/octet-stream';

const PAGE = /^[\t\n\f\r ]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;
const XML = /^[\t\n\f\r ]*<\?xml/;

/** What the bytes begin with, what they have behind that and where, and their type. */
type Signature = readonly [begin: string, type: string, then?: string, at?: number];

const BEFORE_MP4: readonly Signature[] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS-Adobe-', 'application/postscript'],
  ['\xfe\xff', 'text/plain; charset=utf-16be', '', 4],
  ['\xff\xfe', 'text/plain; charset=utf-16le', '', 4],
  ['\xef\xbb\xbf', TEXT, '', 4],
  ['\0\0\x01\0', 'image/x-icon'],
  ['\0\0\x02\0', 'image/x-icon'],
  ['BM', 'image/bmp'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF', 'image/webp', 'WEBPVP', 8],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['FORM', 'audio/aiff', 'AIFF', 8],
  ['ID3', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['RIFF', 'video/avi', 'AVI ', 8],
  ['RIFF', 'audio/wave', 'WAVE', 8],
];

const AFTER_MP4: readonly Signature[] = [
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  ['', 'application/vnd.ms-fontobject', 'LP', 34],
  ['\0\x01\0\0', 'font/ttf'],
  ['OTTO', 'font/otf'],
  ['ttcf', 'font/collection'],
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar!\x1a\x07\0', 'application/x-rar-compressed'],
  ['Rar!\x1a\x07\x01\0', 'application/x-rar-compressed'],
  ['\0asm', 'application/wasm'],
];

/** @param bytes that the answer begins with; at least one */
export function detectedType(bytes: Buffer): string {
  const begin = bytes.subarray(0, LOOKED_AT);
  const text = begin.toString('latin1');
  if (PAGE.test(text)) return HTML;
  if (XML.test(text)) return 'text/xml; charset=utf-8';
  const type = ofSignature(text, BEFORE_MP4) ?? (isMp4(begin, text) ? 'video/mp4' : ofSignature(text, AFTER_MP4));
  return type ?? (begin.some(isBinary) ? UNKNOWN : TEXT);
}

function ofSignature(text: string, signatures: readonly Signature[]): string | undefined {
  const found = signatures.find(
    ([first, , then = '', at = 0]) => text.length >= at + then.length && text.startsWith(first) && text.startsWith(then, at),
  );
  return found?.[1];
}

/** A box of file types whose brand, or one of those that it is compatible with, begins with `mp4`. */
function isMp4(bytes: Buffer, text: string): boolean {
  if (bytes.length < 12) return false;
  const size = bytes.readUInt32BE(0);
  if (bytes.length < size || size % 4 !== 0 || !text.startsWith('ftyp', 4)) return false;
  for (let at = 8; at < size; at += 4) if (at !== 12 && text.startsWith('mp4', at)) return true;
  return false;
}

/** Bytes that no text has: control characters besides white space and the escape. */
const isBinary = (byte: number): boolean => byte <= 8 || byte === 11 || (byte >= 14 && byte <= 26) || (byte >= 28 && byte <= 31);
