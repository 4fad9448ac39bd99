import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RegisteredResource } from '../../../runtime/registry/storage-versions/registered-resources.ts';
import { StorageVersionRegistration } from '../../../runtime/registry/storage-versions/storage-version-registration.ts';

const test = suite('registration of storage versions');

const resource = (...equivalents: (readonly [group: string, resource: string])[]): RegisteredResource => {
  const all = equivalents.map(([group, name]) => ({ group, resource: name }));
  return { groupResource: all[0] as (typeof all)[number], equivalents: all, served: [] };
};
const pods = resource(['', 'pods']);
const events = resource(['', 'events'], ['events.k8s.io', 'events']);
const make = () => new StorageVersionRegistration([pods, events], async () => new Map());

test('a resource waits until it has succeeded, under all its names', () => {
  const registration = make();
  registration.succeeded(pods);
  assert.is(registration.pending('', 'pods'), undefined);
  for (const group of ['', 'events.k8s.io']) assert.equal(registration.pending(group, 'events'), { lastError: undefined });
  registration.succeeded(events);
  for (const group of ['', 'events.k8s.io']) assert.is(registration.pending(group, 'events'), undefined);
  assert.not(registration.isComplete);
});
test('what is not registered does not wait', () => {
  for (const [group, name] of [
    ['', 'bindings'],
    ['example.com', 'pods'],
  ] as const)
    assert.is(make().pending(group, name), undefined);
});
test('the last failure is told, and whoever has succeeded does not wait again', () => {
  const registration = make();
  registration.succeeded(pods);
  for (const message of ['first', 'second']) for (const each of [pods, events]) registration.failed(each, new Error(message));
  assert.is(registration.pending('', 'pods'), undefined);
  assert.equal(registration.pending('events.k8s.io', 'events'), { lastError: 'second' });
});
test('nothing waits when it is complete', async () => {
  const registration = make();
  registration.complete();
  await registration.completion;
  registration.failed(pods, new Error('later'));
  assert.equal(
    [registration.isComplete, registration.pending('', 'pods'), registration.pending('', 'events')],
    [true, undefined, undefined],
  );
});

test.run();
