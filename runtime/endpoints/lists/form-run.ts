/** What was made of consecutive objects of a list, in one piece of memory that is sent as it is. */
import type { CachedRun } from '../../registry/derived-forms.ts';
import type { Chunks } from './chunks.ts';
import { Part } from './chunks.ts';

/** Bytes that are sent without a copy: of fewer the copy costs less than a write of their own. */
const SENT_AS_THEY_ARE = 64 * 1024;

export class FormRun implements CachedRun {
  readonly revisions: readonly number[];
  /** for each object the offset behind its bytes */
  readonly ends: readonly number[];
  readonly bytes: Buffer;
  readonly #part: Part;

  /** @param part holds the objects' bytes one after the other */
  constructor(part: Part, revisions: readonly number[], ends: readonly number[]) {
    this.#part = part;
    this.bytes = part.bytes;
    this.revisions = revisions;
    this.ends = ends;
  }

  /** @param pieces what the bytes of the one object are put together of */
  static ofOne(revision: number, pieces: readonly Buffer[]): FormRun {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const part = Part.lasting(length);
    let at = 0;
    for (const piece of pieces) at += piece.copy(part.bytes, at);
    return new FormRun(part, [revision], [length]);
  }

  /** A run of all that the spans have. */
  static packed(spans: readonly Span[]): FormRun {
    const part = Part.lasting(spans.reduce((sum, span) => sum + span.length, 0));
    const { bytes } = part;
    const revisions: number[] = [];
    const ends: number[] = [];
    let at = 0;
    for (const { run, from, to, start, end } of spans) {
      for (let i = from; i < to; i++) {
        revisions.push(run.revisions[i] as number);
        ends.push((run.ends[i] as number) - start + at);
      }
      at += run.bytes.copy(bytes, at, start, end);
    }
    return new FormRun(part, revisions, ends);
  }

  get size(): number {
    return this.bytes.length;
  }

  /** offset of an object's first byte */
  start(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] as number);
  }

  /** Adds all of it. */
  addTo(chunks: Chunks): void {
    if (this.bytes.length >= SENT_AS_THEY_ARE) chunks.part(this.#part);
    else chunks.bytes(this.bytes);
  }
}

/** Consecutive objects of a run. */
export class Span {
  readonly run: FormRun;
  readonly from: number;
  readonly to: number;

  /** @param to index behind the last one */
  constructor(run: FormRun, from: number, to: number) {
    this.run = run;
    this.from = from;
    this.to = to;
  }

  /** offset of the first byte in the run */
  get start(): number {
    return this.run.start(this.from);
  }

  /** offset behind the last byte in the run */
  get end(): number {
    return this.run.start(this.to);
  }

  get length(): number {
    return this.end - this.start;
  }

  get isWhole(): boolean {
    return this.from === 0 && this.to === this.run.revisions.length;
  }

  addTo(chunks: Chunks): void {
    if (this.isWhole) this.run.addTo(chunks);
    else chunks.bytes(this.run.bytes, this.start, this.end);
  }
}
