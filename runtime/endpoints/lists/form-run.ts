/** What was made of consecutive objects of a list, in one piece of memory that is sent as it is. */
import type { CachedRun } from '../../registry/lists/derived-forms.ts';
import { type Chunks, Part } from '../answers/chunks.ts';

/** Bytes that are sent without a copy: of fewer the copy costs less than a write of their own. */
const SENT_AS_THEY_ARE = 64 * 1024;

export class FormRun implements CachedRun {
  readonly revisions: readonly number[];
  /** for each object the offset behind its bytes */
  readonly ends: readonly number[];
  readonly bytes: Buffer;
  /** the part with the bytes; undefined if the bytes do not stay valid */
  readonly #part: Part | undefined;

  /** @param bytes the bytes of the objects, one after the other, which are in the part if there is one */
  constructor(bytes: Buffer, revisions: readonly number[], ends: readonly number[], part?: Part) {
    this.bytes = bytes;
    this.#part = part;
    this.revisions = revisions;
    this.ends = ends;
  }

  /** @param pieces what the bytes of the one object are put together of */
  static ofOne(revision: number, pieces: readonly Buffer[]): FormRun {
    const length = lengthOfAll(pieces);
    const part = Part.lasting(length);
    const { bytes } = part;
    let at = 0;
    for (const piece of pieces) at += piece.copy(bytes, at);
    return new FormRun(bytes, [revision], [length], part);
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
    return new FormRun(bytes, revisions, ends, part);
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
    if (this.#part !== undefined && this.bytes.length >= SENT_AS_THEY_ARE) chunks.part(this.#part);
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

const lengthOfAll = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Memory for runs of one object that will soon be part of larger ones. */
export class Scratch {
  readonly #bytes: number;
  #memory: Buffer | undefined;
  #at = 0;

  /** @param bytes that it has */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** A run that lasts until `clear` is called; where there is no room, one that lasts longer. */
  runOf(revision: number, pieces: readonly Buffer[]): FormRun {
    const length = lengthOfAll(pieces);
    if (this.#at + length > this.#bytes) return FormRun.ofOne(revision, pieces);
    this.#memory ??= Buffer.allocUnsafeSlow(this.#bytes);
    const start = this.#at;
    for (const piece of pieces) this.#at += piece.copy(this.#memory, this.#at);
    return new FormRun(this.#memory.subarray(start, this.#at), [revision], [length]);
  }

  clear(): void {
    this.#at = 0;
  }
}
