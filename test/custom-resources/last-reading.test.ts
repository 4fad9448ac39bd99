/** A long definition is read once for all who need it within a while, and a short one each time. */
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LastReading } from '../../runtime/custom-resources/last-reading.ts';
import type { StoredDefinition } from '../../runtime/custom-resources/stored-definition.ts';

const test = suite('the last definition that was read');
test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after.each(() => mock.timers.reset());

/** A definition that counts how often it is read. */
function counted(isMuchWork: boolean) {
  const counts = { reads: 0 };
  const read = async () => {
    counts.reads++;
    return { spec: { group: 'example.com', versions: [] }, isMuchWork };
  };
  return { counts, definition: { read } as unknown as StoredDefinition };
}

test('a long one is read once, until nobody has asked for a while', async () => {
  const { counts, definition } = counted(true);
  const readings = new LastReading();
  const first = readings.read(definition);
  assert.is(readings.read(definition), first);
  await first;
  for (let times = 0; times < 3; times++) {
    mock.timers.tick(900);
    assert.is(readings.read(definition), first);
  }
  assert.is(counts.reads, 1);
  mock.timers.tick(1_000);
  assert.equal(await readings.read(definition), await first);
  assert.is(counts.reads, 2);
});

test('another one takes its place, whose time does not end with that of the first', async () => {
  const [one, other] = [counted(true), counted(true)];
  const readings = new LastReading();
  await readings.read(one.definition);
  mock.timers.tick(900);
  const second = readings.read(other.definition);
  await second;
  mock.timers.tick(500);
  assert.is(readings.read(other.definition), second);
  await readings.read(one.definition);
  assert.is(one.counts.reads, 2);
});

test('another one takes its place while the first is still read', async () => {
  const [one, other] = [counted(true), counted(true)];
  const readings = new LastReading();
  await Promise.all([readings.read(one.definition), readings.read(other.definition)]);
  await readings.read(other.definition);
  assert.equal([one.counts.reads, other.counts.reads], [1, 1]);
});

test('a short one is read each time', async () => {
  const { counts, definition } = counted(false);
  const readings = new LastReading();
  await readings.read(definition);
  await readings.read(definition);
  assert.is(counts.reads, 2);
});

test('one that cannot be read is tried again', async () => {
  let reads = 0;
  const read = async () => {
    throw new Error(`no ${++reads}`);
  };
  const [readings, definition] = [new LastReading(), { read } as unknown as StoredDefinition];
  for (const message of ['no 1', 'no 2']) assert.is(await readings.read(definition).catch((error: Error) => error.message), message);
});

test.run();
