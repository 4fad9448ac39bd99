/** What the garbage collector makes of answers of other servers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WholeAnswer } from '../../../runtime/aggregation/remote-servers.ts';
import { type OtherServers, RemoteRefusal, RemoteRequests } from '../../../runtime/controllers/garbage-collector/remote-requests.ts';
import { isConflict } from '../../../runtime/status/status.ts';

const KEY = '/apis/e.com/v1/namespaces/n/lamps/a';
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o' };
const LAMP = {
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', ownerReferences: [OWNER], finalizers: ['x', 'orphan'] },
};

interface Asked {
  readonly method: string;
  readonly json?: string;
  readonly contentType?: string;
}

/** @param answers each time the next one. @param available as the APIService says */
function requests(answers: [status: number, body?: object][], available = true) {
  const asked: Asked[] = [];
  const ask = async (_: object, { method, json, contentType }: Asked): Promise<WholeAnswer> => {
    asked.push({ method, ...(json !== undefined && { json }), ...(contentType !== undefined && { contentType }) });
    const [status, body = {}] = answers.shift() as [number, object?];
    return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
  };
  const remote = { group: 'e.com', version: 'v1', available };
  const servers = {
    servers: async () => ({ ask }),
    versions: { forPath: (path: string) => (path.startsWith('/apis/e.com/v1/') ? remote : undefined) },
  };
  return { asked, requests: new RemoteRequests(servers as unknown as OtherServers, { text: (text) => text }) };
}

const PRECONDITIONS = { propagationPolicy: 'Background', preconditions: { uid: 'u', resourceVersion: '7' } } as const;
const refusal = (error: unknown): boolean => error instanceof RemoteRefusal;

const test = suite('what other servers answer the garbage collector');
test('of an object that is there, and of one that is not', async () => {
  const { owners, finalizers } = (await requests([[200, LAMP]]).requests.object(KEY)) ?? {};
  assert.equal([owners, finalizers], [[OWNER], ['x', 'orphan']]);
  assert.is(await requests([[404]]).requests.object(KEY), undefined);
});

const refused: [name: string, key: string, answers: [number, object?][], available?: boolean][] = [
  ['by a refusal', KEY, [[403]]],
  ['by a redirect', KEY, [[302]]],
  ['by nothing, as they are away', KEY, [], false],
  ['by nothing, as nobody serves the group', '/apis/f.com/v1/lamps/a', []],
];
for (const [name, key, answers, available] of refused)
  test(`${name}, which says nothing of the object`, async () => {
    const error = await requests(answers, available)
      .requests.object(key)
      .catch((reason: unknown) => reason);
    assert.ok(refusal(error), String(error));
  });

test('a deletion names the version that was seen', async () => {
  const { asked, requests: sent } = requests([[200], [404], [409]]);
  await sent.delete(KEY, PRECONDITIONS);
  assert.equal(asked, [{ method: 'DELETE', json: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...PRECONDITIONS }) }]);
  await sent.delete(KEY, PRECONDITIONS);
  assert.ok(isConflict(await sent.delete(KEY, PRECONDITIONS).catch((reason: unknown) => reason)));
});

test('a change is made again of the object as it is after a conflict', async () => {
  const changed = { metadata: { ...LAMP.metadata, resourceVersion: '9' } };
  const { asked, requests: sent } = requests([
    [200, LAMP],
    [409],
    [200, changed],
    [200, { metadata: { ...changed.metadata, resourceVersion: '10' } }],
  ]);
  const version = await sent.editMetadata(KEY, (metadata) => {
    metadata.finalizers = metadata.finalizers?.filter((each) => each !== 'orphan');
    delete metadata.ownerReferences;
  });
  assert.is(version, '10');
  const patch = { metadata: { uid: 'u', resourceVersion: '9', ownerReferences: null, finalizers: ['x'] } };
  assert.equal(asked.at(-1), { method: 'PATCH', json: JSON.stringify(patch), contentType: 'application/merge-patch+json' });
  assert.is(asked.length, 4);
});

test('a change of an object that has gone is none', async () => {
  assert.is(await requests([[404]]).requests.editMetadata(KEY, () => {}), '');
  assert.is(await requests([[200, LAMP], [404]]).requests.editMetadata(KEY, () => {}), '');
});

test('a change ends when others are always faster', async () => {
  const { asked, requests: sent } = requests(
    Array.from({ length: 10 }, (_, at): [number, object?] => (at % 2 === 0 ? [200, LAMP] : [409])),
  );
  assert.ok(isConflict(await sent.editMetadata(KEY, () => {}).catch((reason: unknown) => reason)));
  assert.is(asked.length, 10);
});

test.run();
