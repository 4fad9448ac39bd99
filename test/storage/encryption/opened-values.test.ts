import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenedValues } from '../../../runtime/storage/encryption/opened-values.ts';
import { LentBytes } from '../../../runtime/storage/encryption/reused-bytes.ts';

const KIB = 1024;
const recorded = (revision: number, length = 60 * KIB): Buffer => Buffer.alloc(length, revision % 251);

const opened = suite('opened values');

opened('are given as they were, whatever becomes of the memory that they came in', () => {
  const values = new OpenedValues();
  const value = recorded(1);
  values.keep(1, { value, outdated: true });
  value.fill(9);
  assert.equal(values.get(1), { value: recorded(1), outdated: true });
  values.keep(1, { value: recorded(2), outdated: false });
  assert.ok(values.get(1)?.value.equals(recorded(1)), 'the first one stays');
});

opened('are the last ones: those before are gone, and none is ever another one', () => {
  const values = new OpenedValues();
  for (let revision = 1; revision <= 1_000; revision++) {
    values.keep(revision, { value: recorded(revision), outdated: false });
    for (let other = 1; other <= revision; other += 37) {
      const found = values.get(other)?.value;
      if (found !== undefined) assert.ok(found.equals(recorded(other)), `${other} at ${revision}`);
    }
  }
  assert.is(values.get(1), undefined);
  assert.ok(values.get(900) !== undefined, '8 MB of them are there at least');
});

opened('that are long are not kept', () => {
  const values = new OpenedValues();
  values.keep(1, { value: recorded(1, 64 * KIB), outdated: false });
  values.keep(2, { value: recorded(2, 64 * KIB + 1), outdated: false });
  assert.equal([values.get(1)?.value.length, values.get(2)], [64 * KIB, undefined]);
});

opened('are forgotten together', () => {
  const values = new OpenedValues();
  values.keep(1, { value: recorded(1), outdated: false });
  values.forget();
  assert.equal([values.get(1), values.generation], [undefined, 1]);
  values.keep(2, { value: recorded(2), outdated: false });
  assert.ok(values.get(2)?.value.equals(recorded(2)));
});

opened.run();

const lent = suite('lent memory');

lent('is long enough, nobody else has it, and what is given back is lent again', () => {
  const bytes = new LentBytes();
  const lengths = [1, 4 * KIB, 4 * KIB + 1, 60 * KIB, 64 * KIB, 64 * KIB + 1, 3_000_000];
  const memories = lengths.map((length) => bytes.lend(length));
  for (const [i, memory] of memories.entries()) assert.ok(memory.length >= (lengths[i] as number));
  assert.is(new Set(memories.map(({ buffer }) => buffer)).size, memories.length);
  for (const memory of memories) bytes.giveBack(memory);
  assert.ok(memories.includes(bytes.lend(60 * KIB)));
  assert.not.ok(memories.includes(bytes.lend(3_000_000)), 'long memory is not held back');
});

lent('has an end', () => {
  const bytes = new LentBytes();
  const memories = Array.from({ length: 200 }, () => bytes.lend(KIB));
  for (const memory of memories) bytes.giveBack(memory);
  const again = Array.from({ length: 200 }, () => bytes.lend(KIB)).filter((memory) => memories.includes(memory));
  assert.is(again.length, 64);
});

lent.run();
