/** Owners that another server has: what its answers come to, and what becomes of dependents. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnerReference } from '../../../runtime/contract/object.ts';
import type { OwnerSource } from '../../../runtime/controllers/controller/owner-source.ts';
import { OwnersElsewhere } from '../../../runtime/controllers/garbage-collector/owners-elsewhere.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';

const UID = '11111111-2222-3333-4444-555555555555';
const OTHER = '99999999-2222-3333-4444-555555555555';
const reference: OwnerReference = { apiVersion: 'e.com/v1', kind: 'Lamp', name: 'hall', uid: UID };

type Answer = Awaited<ReturnType<NonNullable<Awaited<ReturnType<OwnerSource['place']>>>['get']>>;

/** A server with lamps, and what it was asked. */
function lamps(answer: () => Answer, namespaced = true): { source: OwnerSource; asked: string[] } {
  const asked: string[] = [];
  const get = async (path: string): Promise<Answer> => {
    asked.push(path);
    return answer();
  };
  const place: OwnerSource['place'] = async (apiVersion, kind) =>
    apiVersion === 'e.com/v1' && kind === 'Lamp' ? { resource: 'lamps', namespaced, get } : undefined;
  return { asked, source: { isEmpty: false, place } };
}

const answered = (status: number, body: object | string) => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
const lamp = (metadata: object) => answered(200, { kind: 'PartialObjectMetadata', metadata: { uid: UID, ...metadata } });
const NOT_FOUND = answered(404, { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 });

const owners = suite('owners of another server');
const rows: [name: string, answer: Answer, found: unknown][] = [
  ['one that is there', lamp({}), { uid: UID, deleting: false, finalizers: [] }],
  [
    'one that is going',
    lamp({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }),
    { uid: UID, deleting: true, finalizers: ['foregroundDeletion'] },
  ],
  ['one that is not there', NOT_FOUND, undefined],
  ['another object of its name', lamp({ uid: OTHER }), undefined],
  ['no answer', undefined, 'unknown'],
  ['a page that is not found', answered(404, '404 page not found'), 'unknown'],
  ['a page of a proxy', answered(404, { message: 'not found' }), 'unknown'],
  ['a refusal', answered(403, { kind: 'Status', reason: 'Forbidden' }), 'unknown'],
  ['a fault', answered(500, { kind: 'Status', reason: 'NotFound' }), 'unknown'],
  ['no object', answered(200, '[]'), 'unknown'],
  ['no JSON', answered(200, '{'), 'unknown'],
  ['an object without a uid', answered(200, { metadata: {} }), 'unknown'],
  ['finalizers that are no list', lamp({ finalizers: 'x' }), 'unknown'],
];
for (const [name, answer, found] of rows)
  owners(name, async () => assert.equal(await new OwnersElsewhere(lamps(() => answer).source).find(reference, 'default'), found));
const UNASKED: [name: string, changed: Partial<OwnerReference>][] = [
  ['another kind', { kind: 'Bulb' }],
  ['a version that leads elsewhere', { apiVersion: '../v1' }],
  ['a group that leads elsewhere', { apiVersion: 'e.com/../v1' }],
  ['a name that leads elsewhere', { name: '..' }],
];
for (const [name, changed] of UNASKED)
  owners(`of ${name} are not asked for`, async () => {
    const { source, asked } = lamps(() => NOT_FOUND);
    assert.is(await new OwnersElsewhere(source).find({ ...reference, ...changed }, 'default'), 'unknown');
    assert.equal(asked, []);
  });
owners('are asked for once by dependents that come together', async () => {
  const { source, asked } = lamps(() => lamp({}));
  const elsewhere = new OwnersElsewhere(source);
  await Promise.all(['a', 'b', 'c'].map((uid) => elsewhere.find({ ...reference, uid }, 'default')));
  await elsewhere.find({ ...reference, name: 'x/y' }, 'default');
  assert.equal(asked, ['/apis/e.com/v1/namespaces/default/lamps/hall', '/apis/e.com/v1/namespaces/default/lamps/x%2Fy']);
});
owners('outside of namespaces are found by objects in them, and not the other way round', async () => {
  const { source, asked } = lamps(() => lamp({}), false);
  await new OwnersElsewhere(source).find(reference, 'default');
  assert.equal(asked, ['/apis/e.com/v1/lamps/hall']);
  const error = await new OwnersElsewhere(lamps(() => lamp({})).source).find(reference, '').catch((caught: Error) => caught);
  assert.match((error as Error).message, 'cannot have an owner of kind Lamp');
});
owners.run();

const dependents = suite('dependents of owners that another server has');
dependents('stay while the owner is there, or nobody says, and go with it', async () => {
  let answer: Answer = lamp({});
  const { source } = lamps(() => answer);
  const cluster = await TestCluster.create({ owners: source, settings: { ...SETTINGS, lookElsewhere: 50 } });
  try {
    await cluster.start('garbagecollector');
    const create = (name: string, ownerReferences: object[]) =>
      cluster.create('v1', 'configmaps', { metadata: { name, namespace: 'default', ownerReferences } });
    const names = (): string[] => cluster.objects('configmaps/default/').map(({ metadata }) => metadata.name as string);
    const until = (expected: string[]) =>
      eventually(
        () => JSON.stringify(names()) === JSON.stringify(expected),
        () => JSON.stringify(names()),
      );
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: OTHER };
    await create('owned', [reference]);
    await create('both', [reference, gone]);
    await create('lost', [gone]);
    await create('unknown', [{ ...reference, kind: 'Bulb' }]);
    await until(['both', 'owned', 'unknown']);
    const left = () => cluster.objects('configmaps/default/both')[0]?.metadata.ownerReferences?.length;
    await eventually(
      () => left() === 1,
      () => `${left()} owners`,
    );
    answer = NOT_FOUND;
    await until(['unknown']);
  } finally {
    await cluster.remove();
  }
});
dependents.run();
