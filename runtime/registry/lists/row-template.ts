/**
 * JSON text in which times that have passed are filled in when it is sent: a table's row is made once, and its ages stay true.
 *
 * The bytes of one:
 *   0  u16  number of gaps
 *   2  …    gaps, each as u32 offset in the text and f64 milliseconds since 1970
 *   …  the text without what stands in the gaps
 */
import { randomBytes } from 'node:crypto';
import type { TimeMarks } from '../../contract/table.ts';
import { shortDuration } from '../../go-text/age.ts';

/** No text that a client can have stored. */
const MARK = randomBytes(16).toString('hex');
const MARK_END = ';';

/** Makes marks for ages in cells, which `fillRow` replaces. */
export const timeMarks: TimeMarks = { mark: (since) => `${MARK}${since}${MARK_END}` };

const HEAD = 2;
const GAP = 12;

/** What a row is written into. */
export interface TextSink {
  /** Adds the bytes from `start` to before `end`. */
  bytes(bytes: Buffer, start: number, end: number): void;
  /** @param text of ASCII characters */
  ascii(text: string): void;
}

/** @param text with `timeMarks` */
export function rowTemplate(text: string): Buffer {
  const [first = '', ...marked] = text.split(MARK);
  const ends = marked.map((piece) => piece.indexOf(MARK_END));
  const pieces = [first, ...marked.map((piece, i) => piece.slice((ends[i] as number) + MARK_END.length))].map((piece) =>
    Buffer.from(piece),
  );
  const head = Buffer.alloc(HEAD + GAP * marked.length);
  head.writeUInt16LE(marked.length);
  let offset = 0;
  for (const [i, piece] of marked.entries()) {
    offset += (pieces[i] as Buffer).length;
    head.writeUInt32LE(offset, HEAD + GAP * i);
    head.writeDoubleLE(Number(piece.slice(0, ends[i])), HEAD + GAP * i + 4);
  }
  return Buffer.concat([head, ...pieces]);
}

/**
 * @param bytes has a template from `start` to before `end`
 * @param now milliseconds since 1970
 */
export function fillRow(bytes: Buffer, start: number, end: number, now: number, sink: TextSink): void {
  const gaps = bytes.readUInt16LE(start);
  const text = start + HEAD + GAP * gaps;
  let at = text;
  for (let i = 0; i < gaps; i++) {
    const gap = start + HEAD + GAP * i;
    const next = text + bytes.readUInt32LE(gap);
    sink.bytes(bytes, at, next);
    sink.ascii(shortDuration(now - bytes.readDoubleLE(gap + 4)));
    at = next;
  }
  sink.bytes(bytes, at, end);
}
