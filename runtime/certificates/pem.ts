/**
 * Text form of keys and certificates (RFC 7468). Text outside blocks and blocks that are malformed are passed over.
 * Takes time linear in the text's length, whatever it holds.
 */
export interface PemBlock {
  /** such as `CERTIFICATE` */
  readonly type: string;
  /** `Name: value` lines stand before the data (RFC 1421) */
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = /^-----BEGIN (.*)-----[ \t\r]*$/;
const END = /^-----END (.*)-----[ \t\r]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function* pemBlocks(text: string): Generator<PemBlock> {
  for (const block of pemSlices(text)) if (block !== undefined) yield block;
}

/** Lines between two of which the caller may do something else. */
const SLICE = 256;

/** The same, between which undefined comes now and then for callers that do other things meanwhile: text without a block may be long as well. */
export function* pemSlices(text: string): Generator<PemBlock | undefined, void, void> {
  let type: string | undefined;
  let lines: string[] = [];
  let passed = 0;
  for (const line of linesOf(text)) {
    const begin = line.startsWith('-----') ? BEGIN.exec(line) : null;
    const end = line.startsWith('-----') ? END.exec(line) : null;
    if (begin !== null) {
      type = begin[1] as string;
      lines = [];
    } else if (end !== null) {
      const block = type === end[1] ? blockOf(type as string, lines) : undefined;
      type = undefined;
      if (block !== undefined) yield block;
    } else if (type !== undefined) {
      lines.push(line);
    }
    if (++passed % SLICE === 0) yield undefined;
  }
}

function* linesOf(text: string): Generator<string, void, void> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function blockOf(type: string, lines: readonly string[]): PemBlock | undefined {
  const headers = lines.findIndex((line) => !line.includes(':'));
  const data = (headers === -1 ? [] : lines.slice(headers)).join('').replace(/\s+/g, '');
  if (!BASE64.test(data) || data.length % 4 !== 0) return undefined;
  return { type, hasHeaders: headers !== 0 && lines.length > 0, bytes: Buffer.from(data, 'base64') };
}
