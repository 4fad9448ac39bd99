/** JSON text in which times that have passed are filled in when it is sent: a table's row is made once, and its ages stay true. */
import { randomBytes } from 'node:crypto';
import type { TimeMarks } from '../contract/kind.ts';
import { shortDuration } from '../kinds/cells/age.ts';
import type { CachedForm } from './derived-forms.ts';

/** No text that a client can have stored. */
const MARK = randomBytes(16).toString('hex');
const MARK_END = ';';

/** For cells whose times are filled in by `RowTemplate.fill`. */
export const timeMarks: TimeMarks = { mark: (since) => `${MARK}${since}${MARK_END}` };

/** What a template is written into. */
export interface TextSink {
  bytes(bytes: Buffer): void;
  /** @param text of ASCII characters */
  ascii(text: string): void;
}

export class RowTemplate implements CachedForm {
  /** the text between the marks */
  readonly #pieces: readonly Buffer[];
  /** milliseconds since 1970, one for each gap between two pieces */
  readonly #times: readonly number[];

  /** @param text with `timeMarks` */
  constructor(text: string) {
    const [first = '', ...marked] = text.split(MARK);
    const ends = marked.map((piece) => piece.indexOf(MARK_END));
    this.#times = marked.map((piece, i) => Number(piece.slice(0, ends[i])));
    const texts = [first, ...marked.map((piece, i) => piece.slice((ends[i] as number) + MARK_END.length))];
    this.#pieces = texts.map((piece) => Buffer.from(piece));
  }

  get size(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, this.#pieces.length * 100);
  }

  /** @param now milliseconds since 1970 */
  fill(now: number, sink: TextSink): void {
    const times = this.#times;
    for (let i = 0; i < times.length; i++) {
      sink.bytes(this.#pieces[i] as Buffer);
      sink.ascii(shortDuration(now - (times[i] as number)));
    }
    sink.bytes(this.#pieces[times.length] as Buffer);
  }
}
