/** Which resources of other servers are followed, as their APIServices and their discovery change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RemoteObjects } from '../../../runtime/controllers/garbage-collector/remote-objects.ts';
import type { OtherServers, RemoteRequests } from '../../../runtime/controllers/garbage-collector/remote-requests.ts';
import { eventually } from '../server.ts';

interface Version {
  readonly group: string;
  readonly version: string;
  readonly versionPriority: number;
  readonly available: boolean;
  /** undefined: the server does not say */
  readonly resources: readonly { resource: string; verbs: readonly string[] }[] | undefined;
}

const ALL = ['delete', 'get', 'list', 'watch'];
const lamps = { resource: 'lamps', verbs: ALL };
const v1: Version = { group: 'e.com', version: 'v1', versionPriority: 20, available: true, resources: [lamps] };

/** Other servers that answer these versions, of which one may make others. @param ended is called when a watch ends */
function others(first: readonly Version[], ended = (): void => {}) {
  let current = first;
  const listeners: (() => void)[] = [];
  const watched = new Set<string>();
  async function* watch(path: string, _: string, signal: AbortSignal): AsyncGenerator<never, void> {
    watched.add(path);
    await sleep(60_000, undefined, { signal, ref: false }).finally(() => {
      watched.delete(path);
      ended();
    });
  }
  const page = async () => ({ objects: [], resourceVersion: '1', next: '' });
  const versions = {
    get size() {
      return current.length;
    },
    all: () => current,
    onChange: (listener: () => void) => void listeners.push(listener),
  };
  const servers = { versions, resources: async ({ resources }: Version) => resources };
  const log = { debug: () => {}, warn: () => {} };
  const requests = { page, watch, stop: () => {} } as unknown as RemoteRequests;
  const objects = new RemoteObjects(servers as unknown as OtherServers, async () => requests, log);
  const change = (next: readonly Version[]): void => {
    current = next;
    for (const listener of listeners) listener();
  };
  return { objects, watched, change };
}

const LISTENER = { observe: () => {}, forget: () => {} };
const test = suite('resources of other servers');
const rows: [name: string, versions: Version[], followed: string[]][] = [
  ['are followed', [v1], ['/apis/e.com/v1/lamps']],
  ['are followed in one version of their group', [{ ...v1, version: 'v2', versionPriority: 10 }, v1], ['/apis/e.com/v1/lamps']],
  [
    'are followed in an older version that alone has them',
    [{ ...v1, version: 'v2', versionPriority: 10, resources: [lamps, { ...lamps, resource: 'bulbs' }] }, v1],
    ['/apis/e.com/v1/lamps', '/apis/e.com/v2/bulbs'],
  ],
  [
    'are not followed without the verbs for it',
    [{ ...v1, resources: ALL.slice(1).map((verb) => ({ resource: verb, verbs: [verb, 'delete'] })) }],
    [],
  ],
  ['are not followed while their server is away', [{ ...v1, available: false }], []],
];
for (const [name, versions, followed] of rows)
  test(name, async () => {
    const { objects, watched } = others(versions);
    objects.tell(LISTENER);
    await objects.looked();
    assert.equal([...watched].toSorted(), followed);
    await objects.stop();
    assert.is(watched.size, 0);
  });

test('come and go with APIServices, and stay while a server does not say', async () => {
  const { objects, watched, change } = others([]);
  objects.tell(LISTENER);
  const becomes = (followed: string[]): Promise<void> =>
    eventually(
      () => `${[...watched].toSorted()}` === `${followed}`,
      () => [...watched].join('; '),
    );
  change([v1]);
  await becomes(['/apis/e.com/v1/lamps']);
  change([
    { ...v1, resources: undefined },
    { ...v1, group: 'f.com' },
  ]);
  await becomes(['/apis/e.com/v1/lamps', '/apis/f.com/v1/lamps']);
  change([{ ...v1, group: 'f.com' }]);
  await becomes(['/apis/f.com/v1/lamps']);
  await objects.stop();
});

test('are not followed anew where all ends while one of them goes', async () => {
  let stopping: Promise<void> | undefined;
  const { objects, watched, change } = others([v1], () => {
    stopping ??= objects.stop();
  });
  objects.tell(LISTENER);
  await objects.looked();
  change([{ ...v1, group: 'f.com' }]);
  await eventually(
    () => stopping !== undefined,
    () => 'no watch has ended',
  );
  await stopping;
  await sleep(50);
  assert.equal([...watched], []);
});

const KEYS: [key: string, isKey: boolean, namespace: string][] = [
  ['/apis/e.com/v1/namespaces/n/lamps/a', true, 'n'],
  ['/apis/e.com/v1/lamps/a', true, ''],
  ['/apis/e.com/v1/namespaces/n', true, ''],
  ['configmaps/n/a', false, ''],
];
for (const [key, isKey, namespace] of KEYS)
  test(`the key ${key}`, () => assert.equal([RemoteObjects.isKey(key), RemoteObjects.namespaceOf(key)], [isKey, namespace]));

test.run();
