/** The encoders extension of CEL, which no environment of 1.32 has. */
import type { Library } from '../environment/declarations.ts';
import { BYTES, STRING } from '../types/type.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import { MAX_TEXT_LENGTH, TEXT_TOO_LONG } from './bounded-text.ts';
import { declared, plain } from './overloads.ts';
import { traversalUnits } from './standard/costs.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The padding is optional. */
function decode(text: string): Value {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : new ErrorValue('illegal base64 data');
}

function encode(bytes: Uint8Array): Value {
  return bytes.length > MAX_TEXT_LENGTH / 2 ? TEXT_TOO_LONG : Buffer.from(bytes).toString('base64');
}

export const encodersLibrary: Library = {
  name: 'cel.lib.ext.encoders',
  since: Number.POSITIVE_INFINITY,
  functions: [
    declared('base64.decode', [plain('base64_decode_string', [STRING], BYTES, decode, { cost: traversalUnits })]),
    declared('base64.encode', [plain('base64_encode_bytes', [BYTES], STRING, encode, { cost: traversalUnits })]),
  ],
};
