import type { KeyCodec } from './codecs.ts';

/** The first segment of a key, a term by its hash (two may share one: more is found then), and what follows the segment's slash. */
export interface Posting {
  readonly segment: string;
  readonly term: Buffer;
  readonly rest: string;
}

export const HASH_BYTES = 8;

export const postingKey: KeyCodec<Posting> = {
  writeKey({ segment, term, rest }, target, position) {
    const end = position + target.write(segment, position, 'utf8');
    target[end] = 0;
    term.copy(target, end + 1);
    return end + 1 + HASH_BYTES + target.write(rest, end + 1 + HASH_BYTES, 'utf8');
  },
  readKey(source, start, end) {
    const separator = source.indexOf(0, start);
    const rest = separator + 1 + HASH_BYTES;
    return {
      segment: source.toString('utf8', start, separator),
      term: Buffer.from(source.subarray(separator + 1, rest)),
      rest: source.toString('utf8', rest, end),
    };
  },
};
