/** Objects of one resource of another server, as they are listed and watched, and what is told of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnedObjects } from '../../../runtime/aggregation/owned-objects.ts';
import type { WatchLine } from '../../../runtime/client/resources/watch-lines.ts';
import { FollowedResource } from '../../../runtime/controllers/garbage-collector/followed-resource.ts';
import { eventually } from '../server.ts';

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o' };

function object(name: string, change: { uid?: string; owned?: boolean; namespace?: string } = {}) {
  const { uid = name, owned = true, namespace = 'n' } = change;
  const owners = owned ? [OWNER] : [];
  return { namespace, name, uid, resourceVersion: '5', deleting: false, grace: 0, owners, finalizers: [] };
}

function line(type: WatchLine['type'], { owners, ...metadata }: ReturnType<typeof object>): WatchLine[] {
  return [{ type, json: Buffer.from(JSON.stringify({ metadata: { ...metadata, ownerReferences: owners } })) }];
}

/** @param lists each time the next one, the last one again and again. @param watches each time the next one; then none ends */
function followed(lists: (OwnedObjects | Error)[], watches: WatchLine[][][] = []) {
  const told: string[] = [];
  const asked: string[] = [];
  const page = async (path: string, next: string): Promise<OwnedObjects> => {
    asked.push(`list ${path} ${next}`.trim());
    const list = lists.length > 1 ? lists.shift() : lists[0];
    if (list instanceof Error) throw list;
    return list as OwnedObjects;
  };
  async function* watch(_: string, version: string, signal: AbortSignal): AsyncGenerator<WatchLine[], void> {
    asked.push(`watch ${version}`);
    const lines = watches.shift();
    if (lines === undefined) await sleep(60_000, undefined, { signal, ref: false });
    yield* lines ?? [];
  }
  const resource = new FollowedResource({
    root: '/apis/e.com/v1',
    resource: 'lamps',
    requests: { page, watch },
    listener: {
      observe: (key, now, before) => told.push(`${before === undefined ? 'new' : 'changed'} ${key} ${now.owners.length}`),
      forget: (key, before, uid) => told.push(`gone ${key} ${before?.uid ?? '-'} ${uid}`),
    },
    failed: (error) => told.push((error as Error).message),
  });
  return { told, asked, resource };
}

const list = (...objects: ReturnType<typeof object>[]): OwnedObjects => ({ objects, resourceVersion: '4', next: '' });
const A = '/apis/e.com/v1/namespaces/n/lamps/a';
const B = '/apis/e.com/v1/lamps/b';

const test = suite('objects of another server');
const rows: [name: string, lists: (OwnedObjects | Error)[], watches: WatchLine[][][], told: string[]][] = [
  ['are told of by a list', [list(object('a'), object('b', { namespace: '' }))], [], [`new ${A} 1`, `new ${B} 1`]],
  ['are told of when they come', [list()], [[line('ADDED', object('a')), line('ADDED', object('b', { owned: false }))]], [`new ${A} 1`]],
  [
    'are told of when they change',
    [list(object('a'))],
    [[line('MODIFIED', object('a', { owned: false }))]],
    [`new ${A} 1`, `changed ${A} 0`],
  ],
  [
    'are told of when they go, whoever owned them',
    [list(object('a'))],
    [[line('DELETED', object('a')), line('DELETED', object('b', { namespace: '', owned: false }))]],
    [`new ${A} 1`, `gone ${A} a a`, `gone ${B} - b`],
  ],
  [
    'have gone where another one has the name',
    [list(object('a'))],
    [[line('MODIFIED', object('a', { uid: 'z' }))]],
    [`new ${A} 1`, `gone ${A} a a`, `new ${A} 1`],
  ],
  ['are listed after a failure', [new Error('away'), list(object('a'))], [], ['away', `new ${A} 1`]],
];
for (const [name, lists, watches, expected] of rows)
  test(name, async () => {
    const { told, resource } = followed(lists, watches);
    await eventually(
      () => told.length >= expected.length,
      () => told.join('; '),
    );
    await resource.looked;
    assert.equal(told, expected);
    await resource.stop();
  });

test('are listed page by page, and watched from the last version on', async () => {
  const bookmark: WatchLine[] = [{ type: 'BOOKMARK', json: Buffer.from('{"metadata":{"resourceVersion":"9"}}') }];
  const { asked, resource } = followed([{ ...list(object('a')), next: 'more' }, list()], [[bookmark]]);
  await eventually(
    () => asked.length === 4,
    () => asked.join('; '),
  );
  assert.equal(asked, ['list /apis/e.com/v1/lamps', 'list /apis/e.com/v1/lamps more', 'watch 4', 'watch 9']);
  await resource.stop();
});

test('that have gone while nobody watched are told of by the next list', async () => {
  const broken: WatchLine[] = [{ type: 'ADDED', json: Buffer.from('{') }];
  const { told, resource } = followed([list(object('a')), list()], [[broken]]);
  await eventually(
    () => told.at(-1) === `gone ${A} a a`,
    () => told.join('; '),
  );
  await resource.stop();
});

test('are told of again, and are forgotten at the end', async () => {
  const { told, resource } = followed([list(object('a'))]);
  await resource.looked;
  resource.repeat();
  await resource.stop();
  assert.equal(told, [`new ${A} 1`, `new ${A} 1`, `changed ${A} 0`]);
});

test.run();
