/**
 * UUIDs made at random (RFC 9562 section 5.4). Every request gets one, and every object: Node puts the text of `randomUUID` together of two dozen pieces, and whoever
 * reads it first makes one text of these. Here it is written into bytes, and is one text from the beginning.
 */
import { randomFillSync } from 'node:crypto';

const BYTES = 16;
/** UUIDs whose bytes are made at a time, for a call costs as much as many bytes. */
const AT_ONCE = 128;
const VERSION_BYTE = 6;
const VARIANT_BYTE = 8;
/** Where the two digits of each byte stand in the text. */
const PLACES = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
/** Both digits of a byte: the first one in the lower bits. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [first, second] = byte.toString(16).padStart(2, '0');
  return (first as string).charCodeAt(0) | ((second as string).charCodeAt(0) << 8);
});

const random = new Uint8Array(BYTES * AT_ONCE);
let taken = random.length;
/** Its dashes stay as they are. */
const text = Buffer.from('00000000-0000-0000-0000-000000000000');

/** In small letters. Nobody can foretell it. */
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
