import { REVISION_GAP, type StoredBytes } from '../../../runtime/storage/storage.ts';

/** What a killed process had been told of one of its writes. */
export interface Acknowledgement {
  readonly operation: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** says what the value has to be */
  readonly seed: number;
}

const HEAD = '{"revision":"';

/** 100 to 9,000 bytes of JSON that tell whether they are whole. */
export function writtenValue(seed: number): StoredBytes {
  const padding = String(seed % 10).repeat(100 + (seed % 8_900));
  const text = `${HEAD}${' '.repeat(REVISION_GAP)},"seed":${seed},"padding":"${padding}"}`;
  return { bytes: Buffer.from(text), revisionOffset: HEAD.length };
}

/** @returns the seed of a value that is whole and carries `revision`; undefined for any other */
export function seedOf(value: Buffer, revision: number): number | undefined {
  try {
    const { revision: carried, seed } = JSON.parse(String(value)) as { revision: string; seed: number };
    const whole = writtenValue(seed).bytes.length === value.length;
    return whole && carried === String(revision) ? seed : undefined;
  } catch {
    return undefined;
  }
}
