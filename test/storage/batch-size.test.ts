import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BatchSize } from '../../runtime/storage/lmdb/batch-size.ts';

const test = suite('batch size');

/** Sizes of batches, each with so many writes that wait, after so many milliseconds of work, whose commit took as long as it says. */
function sizes(rounds: readonly (readonly [waiting: number, work: number, took: number])[]): number[] {
  const size = new BatchSize();
  let worked = 1_000;
  return rounds.map(([waiting, work, took]) => {
    worked += work;
    const taken = size.of(waiting, worked);
    size.committed(took);
    return taken;
  });
}

for (const [name, rounds, expected] of [
  ['all are taken before a commit was seen', [[64, 50, 5]], [64]],
  [
    'half are, where their writers keep the thread busy for longer than a commit takes',
    [
      [64, 50, 5],
      [64, 50, 5],
      [63, 50, 5],
    ],
    [64, 32, 32],
  ],
  [
    'all are, where the disk is what they wait for',
    [
      [64, 8, 5],
      [64, 8, 5],
      [64, 10, 5],
    ],
    [64, 64, 64],
  ],
  [
    'few are not divided',
    [
      [15, 50, 5],
      [15, 50, 5],
      [16, 50, 5],
    ],
    [15, 15, 8],
  ],
  [
    'a commit whose end is seen late counts little longer than those before',
    [
      [64, 50, 5],
      [64, 50, 500],
      [64, 50, 500],
    ],
    [64, 32, 32],
  ],
  ['a disk that has become slow is noticed', Array.from({ length: 30 }, (_, i) => [64, 50, i === 0 ? 5 : 500] as const), [64, 64]],
] as const) {
  test(name, () => {
    const found = sizes(rounds);
    assert.equal(expected.length === rounds.length ? found : [found[0], found.at(-1)], expected);
  });
}

test.run();
