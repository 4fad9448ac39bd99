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

/** Used again for every text: valid until the next one is made. */
let memory = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * @param json valid JSON. White space between its parts is left out.
 * @param depth levels that the text stands at; its first line is not indented
 * @returns bytes that are valid until the next call
 */
export function indentedJson(json: Buffer, depth: number): Buffer {
  let level = depth;
  let at = 0;
  const newLine = (): void => {
    reserve(at, 1 + STEP * level);
    memory[at++] = LINE_FEED;
    memory.fill(SPACE, at, at + STEP * level);
    at += STEP * level;
  };
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    // a byte, a space behind a colon, or the end of what opened just before
    reserve(at, 2);
    switch (byte) {
      case QUOTE: {
        const end = endOfText(json, i);
        reserve(at, end - i);
        at += copy(json, i, end, at);
        i = end - 1;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        memory[at++] = byte;
        const next = skipSpace(json, i + 1);
        if (json[next] === CLOSE_BRACE || json[next] === CLOSE_BRACKET) {
          memory[at++] = json[next] as number;
          i = next;
        } else {
          level++;
          newLine();
        }
        break;
      }
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        level--;
        newLine();
        reserve(at, 1);
        memory[at++] = byte;
        break;
      case COMMA:
        memory[at++] = byte;
        newLine();
        break;
      case COLON:
        memory[at++] = byte;
        memory[at++] = SPACE;
        break;
      default:
        if (!isSpace(byte)) memory[at++] = byte;
    }
  }
  return memory.subarray(0, at);
}

function reserve(at: number, needed: number): void {
  if (at + needed <= memory.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (at + needed));
  memory.copy(larger, 0, 0, at);
  memory = larger;
}

/** Names and most values are so short that calling for a copy takes longer than making it. */
const SHORT = 48;

function copy(json: Buffer, start: number, end: number, at: number): number {
  if (end - start > SHORT) return json.copy(memory, at, start, end);
  for (let i = start, to = at; i < end; ) memory[to++] = json[i++] as number;
  return end - start;
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
