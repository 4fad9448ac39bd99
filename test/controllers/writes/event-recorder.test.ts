/** Events of controllers: what is written, counted, and given up. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { EventRecorder, type Occurrence } from '../../../runtime/controllers/writes/event-recorder.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('events of controllers');

let cluster: TestCluster;
let recorder: EventRecorder;
test.before.each(async () => {
  cluster = await TestCluster.create();
  recorder = new EventRecorder(cluster.server, 'me');
});
test.after.each(async () => {
  await recorder.stop();
  await cluster.remove();
});

const about = (name: string, message = 'm'): Occurrence => ({
  subject: { kind: 'Node', namespace: '', name, uid: 'u' },
  type: 'Normal',
  reason: 'Because',
  message,
});
const events = (): ApiObject[] => cluster.objects('events/');
const counts = (): string =>
  events()
    .map(({ involvedObject, message, count }) => `${involvedObject.name} ${message} ${count}`)
    .sort()
    .join();
const becomes = (wanted: string) =>
  eventually(
    () => counts() === wanted,
    () => `${counts()}, not ${wanted}`,
  );

test('an event has all that 1.32 gives it', async () => {
  recorder.record(about('x'));
  await becomes('x m 1');
  const { metadata, firstTimestamp, lastTimestamp, ...event } = events()[0] as ApiObject;
  assert.is(metadata.namespace, 'default');
  assert.match(metadata.name as string, /^x\.[0-9a-f]{16}$/);
  assert.is(firstTimestamp, lastTimestamp);
  assert.equal(event, {
    kind: 'Event',
    apiVersion: 'v1',
    involvedObject: { kind: 'Node', name: 'x', uid: 'u', apiVersion: 'v1' },
    reason: 'Because',
    message: 'm',
    source: { component: 'me' },
    count: 1,
    type: 'Normal',
    eventTime: null,
    reportingComponent: 'me',
    reportingInstance: '',
  });
});

test('the same is counted, other things are not, and one that has expired is written anew', async () => {
  for (const occurrence of [about('x'), about('y'), about('x', 'n'), about('x'), about('x')]) recorder.record(occurrence);
  await becomes('x m 3,x n 1,y m 1');
  for (const { metadata } of events()) await cluster.delete('v1', 'events', { namespace: 'default', name: metadata.name as string });
  recorder.record(about('x'));
  await becomes('x m 1');
});

test('an object with the longest name', async () => {
  const name = 'x'.repeat(253);
  recorder.record(about(name));
  await becomes(`${name} m 1`);
});

test('more than may wait are lost', async () => {
  const few = new EventRecorder(cluster.server, 'me', 3);
  // the first is on its way when the second comes
  for (let i = 1; i <= 6; i++) few.record(about(`x${i}`));
  await becomes('x1 m 1,x2 m 1,x3 m 1,x4 m 1');
  few.record(about('x7'));
  await becomes('x1 m 1,x2 m 1,x3 m 1,x4 m 1,x7 m 1');
  await few.stop();
});

test('one that comes just when the writing ends is written, too', async () => {
  const { storage } = cluster.server;
  const { create } = storage;
  for (let steps = 0; steps < 40; steps++) {
    const next = about(`b${steps}`);
    storage.create = async (key, value) => {
      const revision = await create.call(storage, key, value);
      storage.create = create;
      // so many steps after the last write
      void (async () => {
        for (let step = 0; step < steps; step++) await null;
        recorder.record(next);
      })();
      return revision;
    };
    recorder.record(about(`a${steps}`));
    await eventually(
      () => events().length === 2 * (steps + 1),
      () => `${steps} steps after the last write one is lost`,
    );
  }
});

test('none is written once the recorder is stopped', async () => {
  for (let i = 0; i < 100; i++) recorder.record(about(`x${i}`));
  await recorder.stop();
  const { length } = events();
  assert.ok(length < 100, `${length}`);
  recorder.record(about('late'));
  await recorder.stop();
  assert.is(events().length, length);
});

test.run();
