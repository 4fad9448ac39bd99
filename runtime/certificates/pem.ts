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
  let type: string | undefined;
  let lines: string[] = [];
  for (const line of text.split('\n')) {
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
  }
}

function blockOf(type: string, lines: readonly string[]): PemBlock | undefined {
  const headers = lines.findIndex((line) => !line.includes(':'));
  const data = (headers === -1 ? [] : lines.slice(headers)).join('').replace(/\s+/g, '');
  if (!BASE64.test(data) || data.length % 4 !== 0) return undefined;
  return { type, hasHeaders: headers !== 0 && lines.length > 0, bytes: Buffer.from(data, 'base64') };
}
