/** Objects of a server that knows nothing of garbage collection: they go with their owners, and take their dependents along, on whichever server those are. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LAMPS, LampCluster, ok } from '../../aggregation/lamp-cluster.ts';
import { StoredLamps } from '../../aggregation/stored-lamps.ts';
import type { Json } from '../../harness/client.ts';

const cluster = await LampCluster.start();
const { admin } = cluster;
const lamps = new StoredLamps(cluster.lamps);
await cluster.serveLamps();

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const STORED = `${LAMPS}/namespaces/default/lamps`;
const PLACES = { Lamp: STORED, ConfigMap: CONFIGMAPS } as const;
type Kind = keyof typeof PLACES;

async function made(kind: Kind, name: string, owner?: Json): Promise<Json> {
  const ownerReferences = owner && [
    { ...owner, metadata: undefined, name: owner.metadata.name, uid: owner.metadata.uid, blockOwnerDeletion: true },
  ];
  const { metadata } = await ok(admin.post(PLACES[kind], { metadata: { name, ...(ownerReferences && { ownerReferences }) } }));
  return { apiVersion: kind === 'Lamp' ? 'lamps.example/v1' : 'v1', kind, metadata };
}

async function until(holds: () => Promise<boolean>, shown: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 200; tries++, await sleep(50)) if (await holds()) return;
  throw new Error(JSON.stringify(await shown()));
}

const status = async (kind: Kind, name: string): Promise<number> => (await admin.get(`${PLACES[kind]}/${name}`)).status;
const object = async (kind: Kind, name: string): Promise<Json> => (await admin.get(`${PLACES[kind]}/${name}`)).body;
const gone = (kind: Kind, name: string): Promise<void> =>
  until(
    async () => (await status(kind, name)) === 404,
    () => object(kind, name),
  );

const test = suite('garbage of other servers');
test.after(() => cluster.stop());

const PAIRS: [owner: Kind, dependent: Kind][] = [
  ['ConfigMap', 'Lamp'],
  ['Lamp', 'ConfigMap'],
  ['Lamp', 'Lamp'],
];
for (const [owner, dependent] of PAIRS) {
  const pair = `${dependent} of a ${owner}`.toLowerCase().replace(/ /g, '-');
  for (const policy of ['Background', 'Foreground'])
    test(`a ${dependent} goes with the ${owner} that owns it, ${policy}`, async () => {
      const name = `${pair}-${policy.toLowerCase()}`;
      await made(dependent, `${name}-d`, await made(owner, name));
      await ok(admin.delete(`${PLACES[owner]}/${name}`, { propagationPolicy: policy }));
      await gone(dependent, `${name}-d`);
      await gone(owner, name);
    });
  test(`a ${dependent} stays when the ${owner} that owns it goes and is to orphan it`, async () => {
    const name = `${pair}-orphan`;
    await made(dependent, `${name}-d`, await made(owner, name));
    await ok(admin.delete(`${PLACES[owner]}/${name}`, { propagationPolicy: 'Orphan' }));
    await gone(owner, name);
    assert.is((await object(dependent, `${name}-d`)).metadata.ownerReferences, undefined);
  });
}

test('an object keeps the owners that are there, and loses the others', async () => {
  const [stays, goes] = [await made('Lamp', 'stays'), await made('ConfigMap', 'goes')];
  const reference = ({ metadata, ...kind }: Json) => ({ ...kind, name: metadata.name, uid: metadata.uid });
  const ownerReferences = [reference(stays), reference(goes)];
  await ok(admin.post(STORED, { metadata: { name: 'both', ownerReferences } }));
  await ok(admin.delete(`${CONFIGMAPS}/goes`));
  const left = async (): Promise<Json> => (await object('Lamp', 'both')).metadata.ownerReferences;
  await until(async () => (await left()).length === 1, left);
  assert.equal(await left(), [reference(stays)]);
});

test('nobody but the account of the collector has asked for it', () => {
  const users = new Set(lamps.writers);
  assert.equal(users, new Set(['admin', 'system:serviceaccount:kube-system:generic-garbage-collector']));
});

test.run();
