/** JSON for people, made of compact JSON byte by byte: the layout that `JSON.stringify` with two spaces gives, without parsing anything. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const STEP = 2;

/** Bytes that the memory has at first, and what it may keep of larger ones. */
const INITIAL = 64 * 1024;
const MAX_KEPT = 1024 * 1024;
/** Used again for every text: valid until the next one is made. */
let memory: Buffer = Buffer.allocUnsafeSlow(INITIAL);

/**
 * @param json valid JSON. White space between its parts is left out.
 * @param depth levels that the text stands at; its first line is not indented
 * @returns bytes that are valid until the next call
 */
export function indentedJson(json: Buffer, depth: number): Buffer {
  if (memory.length > MAX_KEPT) memory = Buffer.allocUnsafeSlow(INITIAL);
  let out = memory;
  let level = depth;
  let at = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    // two bytes and a new line, one level deeper, at most
    if (at + 5 + STEP * level > out.length) out = enlarge(at, 5 + STEP * level);
    switch (byte) {
      case QUOTE: {
        const end = endOfText(json, i);
        if (at + end - i > out.length) out = enlarge(at, end - i);
        at = copy(json, i, end, out, at);
        i = end - 1;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        out[at++] = byte;
        const next = skipSpace(json, i + 1);
        if (json[next] === CLOSE_BRACE || json[next] === CLOSE_BRACKET) {
          out[at++] = json[next] as number;
          i = next;
        } else at = newLine(out, at, ++level);
        break;
      }
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        at = newLine(out, at, --level);
        out[at++] = byte;
        break;
      case COMMA:
        out[at++] = byte;
        at = newLine(out, at, level);
        break;
      case COLON:
        out[at++] = byte;
        out[at++] = SPACE;
        break;
      default:
        if (!isSpace(byte)) out[at++] = byte;
    }
  }
  return out.subarray(0, at);
}

/** @returns memory with the same first bytes and room for `needed` more */
function enlarge(at: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 * (at + needed));
  memory.copy(larger, 0, 0, at);
  memory = larger;
  return larger;
}

/** @returns what follows */
function newLine(out: Buffer, at: number, level: number): number {
  const end = at + 1 + STEP * level;
  out[at] = LINE_FEED;
  for (let i = at + 1; i < end; i++) out[i] = SPACE;
  return end;
}

/** Names and most values are so short that calling for a copy takes longer than making it. */
const SHORT = 48;

/** @returns what follows */
function copy(json: Buffer, start: number, end: number, out: Buffer, at: number): number {
  if (end - start > SHORT) return at + json.copy(out, at, start, end);
  let to = at;
  for (let i = start; i < end; i++) out[to++] = json[i] as number;
  return to;
}

/** @param start of the opening quote. @returns what follows the closing one */
function endOfText(json: Buffer, start: number): number {
  let i = start + 1;
  while (json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i + 1;
}

function skipSpace(json: Buffer, from: number): number {
  let i = from;
  while (isSpace(json[i] as number)) i++;
  return i;
}

const isSpace = (byte: number): boolean => byte === SPACE || (byte <= 0x0d && byte >= 0x09);
