import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { detectedType } from '../../runtime/relay/detected-type.ts';

const test = suite('types of answers that name none');

const rest = '\0'.repeat(40);
const mp4 = (brand: string, ...others: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * others.length)}ftyp${brand}\0\0\0\0${others.join('')}`;

/** As Go 1.23 takes them. */
const types: [begin: string, type: string][] = [
  ['plain words', 'text/plain; charset=utf-8'],
  ['{"a":1}', 'text/plain; charset=utf-8'],
  ['\x1b[0m', 'text/plain; charset=utf-8'],
  ['a\x01', 'application/octet-stream'],
  [`${'a'.repeat(512)}\x01`, 'text/plain; charset=utf-8'],
  ['  \n<!DocType html>', 'text/html; charset=utf-8'],
  ['<a href="x">', 'text/html; charset=utf-8'],
  ['<abbr>', 'text/plain; charset=utf-8'],
  ['<html', 'text/plain; charset=utf-8'],
  ['<!-- x', 'text/html; charset=utf-8'],
  [' <?xml version="1.0"?>', 'text/xml; charset=utf-8'],
  ['%PDF-1.7', 'application/pdf'],
  ['%!PS-Adobe-3.0', 'application/postscript'],
  ['\xfe\xffab', 'text/plain; charset=utf-16be'],
  ['\xff\xfeab', 'text/plain; charset=utf-16le'],
  ['\xef\xbb\xbfa', 'text/plain; charset=utf-8'],
  [`\0\0\x01\0${rest}`, 'image/x-icon'],
  [`BM${rest}`, 'image/bmp'],
  ['GIF89a', 'image/gif'],
  ['RIFF1234WEBPVP8', 'image/webp'],
  ['RIFF1234AVI ', 'video/avi'],
  ['RIFF1234WAVE', 'audio/wave'],
  ['FORM1234AIFF', 'audio/aiff'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['ID3\x03', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  [mp4('mp42'), 'video/mp4'],
  [mp4('isom', 'avc1', 'mp41'), 'video/mp4'],
  [mp4('qt  '), 'application/octet-stream'],
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  [`${'\0'.repeat(34)}LP`, 'application/vnd.ms-fontobject'],
  ['\0\x01\0\0', 'font/ttf'],
  ['OTTO', 'font/otf'],
  ['wOF2', 'font/woff2'],
  ['\x1f\x8b\x08\0', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar!\x1a\x07\x01\0', 'application/x-rar-compressed'],
  ['\0asm\x01', 'application/wasm'],
  ['\0\0\0\0', 'application/octet-stream'],
];
for (const [begin, type] of types)
  test(`${JSON.stringify(begin.slice(0, 30))} is ${type}`, () => assert.is(detectedType(Buffer.from(begin, 'latin1')), type));

test.run();
