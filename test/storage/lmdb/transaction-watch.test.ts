import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransactionWatch } from '../../../runtime/storage/lmdb/tables/transaction-watch.ts';

const test = suite('transactions that are never over');

const never = (): Promise<number> => new Promise(() => {});

function watchOf(most: number): { readonly watch: TransactionWatch; readonly told: Error[] } {
  const told: Error[] = [];
  const stuck = (): Error => {
    const error = new Error(`stuck ${told.length}`);
    told.push(error);
    return error;
  };
  return { watch: new TransactionWatch({ most: () => most, stuck, look: 5 }), told };
}

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `resolved with ${value}`,
    (error: Error) => error.message,
  );

test('one that ends is left alone, whatever it ends with', async () => {
  const { watch, told } = watchOf(1_000);
  assert.is(await watch.until(sleep(20, 7)), 7);
  assert.is(await messageOf(watch.until(Promise.reject(new Error('its own')))), 'its own');
  assert.equal(told, []);
});

test('those that do not are rejected, and one that begins later when it is its time', async () => {
  const { watch, told } = watchOf(3);
  const keep = setInterval(() => {}, 1_000);
  const first = [messageOf(watch.until(never())), messageOf(watch.until(never()))];
  assert.equal(await Promise.all(first), ['stuck 0', 'stuck 1']);
  assert.is(await messageOf(watch.until(never())), 'stuck 2');
  assert.is(told.length, 3);
  clearInterval(keep);
});

test('a thread that is held makes no transaction late', async () => {
  const { watch, told } = watchOf(3);
  const under = watch.until(sleep(12, 'over'));
  for (const end = performance.now() + 100; performance.now() < end; );
  assert.is(await under, 'over');
  assert.equal(told, []);
});

test.run();
