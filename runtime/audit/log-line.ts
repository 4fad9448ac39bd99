/** Lines of a log, of text and of bytes that are text already. */

/** What stands in it, in this order; it ends with a line feed. */
export type LogLine = string | readonly (string | Buffer)[];

/** Characters and bytes that are encoded together: a text of V8's has a limit. */
const MOST_AT_ONCE = 4 * 1024 * 1024;

export function lineBytes(line: LogLine): number {
  if (typeof line === 'string') return Buffer.byteLength(line);
  let sum = 0;
  for (const piece of line) sum += Buffer.byteLength(piece);
  return sum;
}

/** Some lines in UTF-8, in as few pieces as may be. */
export function encodeLines(lines: readonly LogLine[]): Buffer[] {
  const encoded: Buffer[] = [];
  let parts: (string | Buffer)[] = [];
  let text = '';
  let length = 0;
  const add = (piece: string | Buffer): void => {
    length += piece.length;
    if (typeof piece === 'string') {
      text += piece;
      return;
    }
    if (text !== '') parts.push(text);
    text = '';
    parts.push(piece);
  };
  const finish = (): void => {
    if (text !== '') parts.push(text);
    if (parts.length > 0) encoded.push(encode(parts));
    parts = [];
    text = '';
    length = 0;
  };
  for (const line of lines) {
    if (typeof line === 'string') add(line);
    else for (const piece of line) add(piece);
    if (length >= MOST_AT_ONCE) finish();
  }
  finish();
  return encoded;
}

function encode(parts: readonly (string | Buffer)[]): Buffer {
  if (parts.length === 1 && typeof parts[0] === 'string') return Buffer.from(parts[0]);
  const bytes = Buffer.allocUnsafe(lineBytes(parts));
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at);
    else at += part.copy(bytes, at);
  }
  return bytes;
}
