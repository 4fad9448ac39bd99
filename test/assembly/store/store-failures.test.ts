import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storeFailures } from '../../../runtime/assembly/store/store-failures.ts';
import { StorageFull, ValueDamaged } from '../../../runtime/storage/errors.ts';

const test = suite('failures of work on the store');

function told(...errors: readonly unknown[]): string[] {
  const lines: string[] = [];
  const line = (fields: object, message: string): void => void lines.push(`${message}: ${(fields as { err: Error }).err.message}`);
  const failed = storeFailures({ debug: line, info: line, warn: line, error: line }, 'it failed');
  for (const error of errors) failed(error);
  return lines;
}

const damaged = (revision: number): ValueDamaged => new ValueDamaged(undefined, revision, 'its checksum is another one');

test('a damaged value is told once, however often the work is tried', () => {
  assert.equal(told(damaged(7), damaged(7), damaged(8), damaged(7)), [
    'it failed: the value at revision 7 is damaged: its checksum is another one',
    'it failed: the value at revision 8 is damaged: its checksum is another one',
  ]);
});

test('what cannot be written is told by the store', () => assert.equal(told(new StorageFull('no room')), []));

test('anything else is told each time', () => {
  assert.equal(told(new Error('one'), new Error('one')), ['it failed: one', 'it failed: one']);
});

test.run();
