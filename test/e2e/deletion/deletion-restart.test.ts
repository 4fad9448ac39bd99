/** Deletions of every kind and applies are under way when the server is killed, again and again: what was acknowledged holds, and what was begun is finished. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('deletions over crashes');

const CRASHES = 4;
/** Milliseconds of load before each crash. */
const LOAD = 600;
/** Milliseconds beyond it for a machine that has other things to do. */
const PATIENCE = 20_000;
const FAMILIES_AT_ONCE = 4;
const DEPENDENTS = 4;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const NAMESPACES = '/api/v1/namespaces';

/** `sent` without `acknowledged`: nobody knows whether it was stored. */
type Deletion = 'none' | 'sent' | 'acknowledged';

/** An owner and its dependents, as far as their creation was acknowledged. */
interface Family {
  readonly owner: string;
  readonly policy: (typeof POLICIES)[number];
  readonly dependents: string[];
  deletion: Deletion;
}

/** A namespace with something in it. */
interface Place {
  readonly name: string;
  deletion: Deletion;
}

/** An object that a finalizer holds. */
interface Held {
  readonly name: string;
  deletion: Deletion;
  release: Deletion;
}

/** An object that two managers apply, a field each. */
interface Applied {
  readonly name: string;
  /** last value of each manager's field that was acknowledged, and the one that was sent after it */
  readonly values: Record<string, { acknowledged: number; sent: number }>;
}

interface Known {
  readonly applied: Applied[];
  readonly families: Family[];
  readonly places: Place[];
  readonly held: Held[];
}

/** Answers come until the connection breaks, and then none. */
const accepted = (answer: { status: number; text: string }): void => assert.ok(answer.status < 300, answer.text);

async function writeFamilies(client: Client, tag: string, known: Known): Promise<void> {
  for (let i = 0; ; i++) {
    const owner = `${tag}-${i}`;
    const { body, ...answer } = await client.post(CONFIGMAPS, { metadata: { name: owner } });
    accepted(answer);
    const family: Family = { owner, policy: POLICIES[i % 3] as Family['policy'], dependents: [], deletion: 'none' };
    known.families.push(family);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: body.metadata.uid, blockOwnerDeletion: true }];
    for (let d = 0; d < DEPENDENTS; d++) {
      const name = `${owner}-${d}`;
      accepted(await client.post(CONFIGMAPS, { metadata: { name, ownerReferences } }));
      family.dependents.push(name);
    }
    if (i % 7 === 6) continue;
    family.deletion = 'sent';
    accepted(await client.delete(`${CONFIGMAPS}/${owner}?propagationPolicy=${family.policy}`));
    family.deletion = 'acknowledged';
  }
}

async function writePlaces(client: Client, tag: string, known: Known): Promise<void> {
  for (let i = 0; ; i++) {
    const place: Place = { name: `${tag}-${i}`, deletion: 'none' };
    accepted(await client.post(NAMESPACES, { metadata: { name: place.name } }));
    for (const name of ['a', 'b', 'c']) accepted(await client.post(`${NAMESPACES}/${place.name}/configmaps`, { metadata: { name } }));
    known.places.push(place);
    if (i % 5 === 4) continue;
    place.deletion = 'sent';
    accepted(await client.delete(`${NAMESPACES}/${place.name}`));
    place.deletion = 'acknowledged';
  }
}

async function writeHeld(client: Client, tag: string, known: Known): Promise<void> {
  for (let i = 0; ; i++) {
    const held: Held = { name: `${tag}-${i}`, deletion: 'none', release: 'none' };
    accepted(await client.post(CONFIGMAPS, { metadata: { name: held.name, finalizers: ['e.com/hold'] } }));
    known.held.push(held);
    held.deletion = 'sent';
    accepted(await client.delete(`${CONFIGMAPS}/${held.name}`));
    held.deletion = 'acknowledged';
    if (i % 2 === 0) continue;
    held.release = 'sent';
    accepted(await client.patch(`${CONFIGMAPS}/${held.name}`, { metadata: { finalizers: null } }));
    held.release = 'acknowledged';
  }
}

const MANAGERS = ['left', 'right'];

async function writeApplied(client: Client, tag: string, known: Known): Promise<void> {
  for (let i = 0; ; i++) {
    const object: Applied = { name: `${tag}-${i}`, values: {} };
    known.applied.push(object);
    for (let value = 1; value <= 5; value++)
      for (const manager of MANAGERS) {
        object.values[manager] = { acknowledged: value - 1, sent: value };
        const intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object.name }, data: { [manager]: String(value) } };
        const path = `${CONFIGMAPS}/${object.name}?fieldManager=${manager}`;
        accepted(await client.request('PATCH', path, { body: intent, headers: { 'content-type': 'application/apply-patch+yaml' } }));
        object.values[manager] = { acknowledged: value, sent: value };
      }
  }
}

/** Writes until the connection breaks. */
async function untilBroken(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (error instanceof assert.Assertion) throw error;
  }
}

/** Whether so much was acknowledged in so many rounds that crashes meet every kind of deletion. */
function hasEnough({ families, places, held, applied }: Known, rounds: number): boolean {
  const deleted = families.filter(({ deletion }) => deletion === 'acknowledged').length;
  return deleted >= 3 * rounds && [places, held, applied].every((each) => each.length >= rounds);
}

async function crashUnderLoad(server: TestServer, round: number, known: Known): Promise<void> {
  const clients: Client[] = [];
  const write = (writer: typeof writeFamilies, tag: string): Promise<void> => {
    const client = new Client(server);
    clients.push(client);
    return untilBroken(writer(client, `${tag}-${round}`, known));
  };
  const writing = [
    ...Array.from({ length: FAMILIES_AT_ONCE }, (_, n) => write(writeFamilies, `f${n}`)),
    write(writePlaces, 'place'),
    write(writeHeld, 'held'),
    write(writeApplied, 'applied'),
  ];
  await sleep(LOAD);
  // a slow machine gets the time that it takes for a crash to have something to break
  for (const until = Date.now() + PATIENCE; !hasEnough(known, round + 1) && Date.now() < until; ) await sleep(50);
  await server.kill();
  await Promise.all(writing);
  for (const client of clients) client.close();
}

/** @returns what is not yet, or not any more, as it must be */
async function problems(client: Client, known: Known): Promise<string[]> {
  const objects = new Map<string, Json>((await client.get(CONFIGMAPS)).body.items.map((item: Json) => [item.metadata.name, item]));
  const namespaces = new Set((await client.get(NAMESPACES)).body.items.map((item: Json) => item.metadata.name));
  const found: string[] = [];
  const check = (holds: boolean, problem: string) => holds || found.push(problem);
  for (const { owner, policy, dependents, deletion } of known.families) {
    if (deletion !== 'sent') check(objects.has(owner) === (deletion === 'none'), `owner ${owner}, ${policy}, deletion ${deletion}`);
    const gone = deletion === 'acknowledged' || !objects.has(owner);
    for (const name of dependents) {
      const references = objects.get(name)?.metadata.ownerReferences;
      if (!gone) check(references?.length === 1, `dependent ${name} of a living owner`);
      else if (policy === 'Orphan') check(objects.has(name) && references === undefined, `orphan ${name}`);
      else check(!objects.has(name), `dependent ${name}, ${policy}`);
    }
  }
  for (const { name, deletion } of known.places)
    if (deletion !== 'sent') check(namespaces.has(name) === (deletion === 'none'), `namespace ${name}, deletion ${deletion}`);
  for (const { name, deletion, release } of known.held) {
    if (release === 'acknowledged') check(!objects.has(name), `released ${name}`);
    else if (release === 'none') check(objects.has(name), `held ${name}`);
    if (release === 'none' && deletion === 'acknowledged')
      check(objects.get(name)?.metadata.deletionTimestamp !== undefined, `mark of ${name}`);
  }
  for (const { name, values } of known.applied)
    for (const [manager, { acknowledged, sent }] of Object.entries(values)) {
      const object = objects.get(name);
      const value = Number(object?.data?.[manager] ?? 0);
      check(value === acknowledged || value === sent, `${name} has ${value} of ${manager}, acknowledged ${acknowledged}`);
      const owned = (object?.metadata.managedFields ?? []).filter((entry: Json) => entry.manager === manager);
      const fields = owned.map((entry: Json) => Object.keys(entry.fieldsV1['f:data']).join());
      check(value === 0 || fields.join() === `f:${manager}`, `owner ${manager} of ${name} has ${JSON.stringify(owned)}`);
    }
  for (const [name, { metadata }] of objects)
    check(metadata.deletionTimestamp === undefined || metadata.finalizers?.includes('e.com/hold'), `deletion of ${name} is not finished`);
  return found;
}

test('kill -9 under deletions and applies, many times', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-deletion-'));
  const known: Known = { applied: [], families: [], places: [], held: [] };
  try {
    for (let round = 0; ; round++) {
      const server = await startServer({ dialect: 'kubernetes', directory });
      const client = new Client(server);
      const until = Date.now() + 30_000;
      let left = await problems(client, known);
      while (left.length > 0 && Date.now() < until) {
        await sleep(50);
        left = await problems(client, known);
      }
      client.close();
      assert.equal(left.slice(0, 20), [], `after ${round} crashes`);
      if (round === CRASHES) {
        await server.stop();
        break;
      }
      await crashUnderLoad(server, round, known);
    }
    assert.ok(hasEnough(known, CRASHES), 'every kind of deletion was under way at the crashes');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test.run();
