import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Trigger, WatcherIndex } from '../../../runtime/registry/selection/watcher-index.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';

const test = suite('watcher index');

interface Named {
  readonly id: string;
  readonly trigger: Trigger | undefined;
}

const stored = (...fields: string[]) =>
  new StoredObject(encodeStoredObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' } }, 1, fields).bytes);

function told(index: WatcherIndex<Named>, change: Parameters<WatcherIndex<Named>['tell']>[0]): string[] {
  const ids: string[] = [];
  index.tell(change, ({ id }) => ids.push(id));
  return ids.sort();
}

test('tells those whose value a change has, each once', () => {
  const index = new WatcherIndex<Named>(({ fields }) => fields);
  const triggers: [id: string, trigger: Trigger | undefined][] = [
    ['all', undefined],
    ['name', { field: 0, value: 'x' }],
    ['other name', { field: 0, value: 'y' }],
    ['namespace', { field: 1, value: 'a' }],
    ['first', { field: 2, value: 'n1' }],
    ['second', { field: 3, value: 'n1' }],
    ['empty', { field: 4, value: '' }],
  ];
  const watchers = triggers.map(([id, trigger]) => ({ id, trigger }));
  for (const watcher of [...watchers, ...watchers]) index.add(watcher);
  assert.is(index.size, triggers.length);
  const change = { namespace: 'a', name: 'x', stored: stored('n2', 'n1'), previous: stored('n1', 'n1') };
  assert.equal(told(index, change), ['all', 'empty', 'first', 'name', 'namespace', 'second']);
  assert.equal(told(index, { ...change, namespace: 'b', previous: undefined }), ['all', 'empty', 'name', 'second']);
  for (const watcher of [...watchers, ...watchers]) index.remove(watcher);
  assert.equal([index.size, [...index.all()], told(index, change)], [0, [], []]);
});

test('counts those that want each change, or those of one namespace or name', () => {
  const index = new WatcherIndex<Named>(({ fields }) => fields);
  const triggers: (Trigger | undefined)[] = [
    undefined,
    { field: 0, value: 'x' },
    { field: 1, value: 'a' },
    { field: 1, value: 'a' },
    { field: 1, value: 'b' },
    { field: 2, value: 'x' },
  ];
  for (const trigger of triggers) index.add({ id: '', trigger });
  assert.equal([index.of('a', 'x'), index.of('a', ''), index.of('b', 'y'), index.of('', '')], [4, 3, 2, 1]);
});

test('a watcher may leave while it is told', () => {
  const index = new WatcherIndex<Named>(({ fields }) => fields);
  for (const id of ['a', 'b', 'c']) index.add({ id, trigger: { field: 0, value: 'x' } });
  index.tell({ namespace: '', name: 'x', stored: stored(), previous: undefined }, (watcher) => index.remove(watcher));
  assert.is(index.size, 0);
});

test.run();
