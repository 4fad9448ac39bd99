import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FIRST_PAUSE, longerPause } from '../../../runtime/storage/etcd/watch-pause.ts';
import { away, compacted } from './held-etcd.ts';

const test = suite('times between watches of etcd');

const pauses = (ended: Error): number[] => {
  const found = [FIRST_PAUSE];
  while (found.length < 10) found.push(longerPause(found.at(-1) as number, ended));
  return found;
};

test('an etcd that is away is looked for each second, however long it is', () =>
  assert.equal(pauses(away()), [50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000]));

test('what has to be loaded anew each time is tried less often', () => {
  for (const ended of [compacted(5), new Error('out of order')])
    assert.equal(pauses(ended), [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test('a pause that was longer is shorter once it is known that nobody is there', () => assert.is(longerPause(5_000, away()), 1_000));

test.run();
