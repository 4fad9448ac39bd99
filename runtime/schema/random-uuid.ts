/**
 * Makes random UUIDs (RFC 9562 section 5.4) for requests and objects. The text that Node's `randomUUID` returns consists of two dozen
 * pieces, which V8 joins when the text is first read. Here the text is written as bytes and has one piece.
 */
import { randomFillSync } from 'node:crypto';

const BYTES = 16;
/** Random bytes are fetched for so many UUIDs at a time, because each call is expensive. */
const AT_ONCE = 128;
const VERSION_BYTE = 6;
const VARIANT_BYTE = 8;
/** Where the digits of each byte are in the text. */
const PLACES = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
/** The two digits of each byte, with the first one in the lower bits. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [first, second] = byte.toString(16).padStart(2, '0');
  return (first as string).charCodeAt(0) | ((second as string).charCodeAt(0) << 8);
});

const random = new Uint8Array(BYTES * AT_ONCE);
let taken = random.length;
/** the dashes in it are never overwritten */
const text = Buffer.from('00000000-0000-0000-0000-000000000000');

/** A new UUID in lower case. It is unpredictable. */
export function newUuid(): string {
  if (taken === random.length) {
    randomFillSync(random);
    taken = 0;
  }
  random[taken + VERSION_BYTE] = ((random[taken + VERSION_BYTE] as number) & 0x0f) | 0x40;
  random[taken + VARIANT_BYTE] = ((random[taken + VARIANT_BYTE] as number) & 0x3f) | 0x80;
  for (let i = 0; i < BYTES; i++) {
    const digits = DIGITS[random[taken + i] as number] as number;
    const place = PLACES[i] as number;
    text[place] = digits & 0xff;
    text[place + 1] = digits >> 8;
  }
  taken += BYTES;
  return text.toString('latin1');
}
