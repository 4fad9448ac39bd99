/**
 * Whatever kind a body of 3 MiB is of, nobody else waits for it, and its memory is given back: the largest list and the largest map of some kinds, empty
 * and wrong, one at a time and eight at once. SWEEP=kinds sends those of all kinds, SWEEP=all every list and map, which takes hours. SWEEP_SEED, which
 * is printed, chooses the same kinds again. SWEEP_WORKERS=0 or 2 leaves the other form out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../fuzz/random.ts';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { assertNoTrace } from '../../harness/hostile.ts';
import type { LongBody } from '../../harness/long-bodies.ts';
import { Probe } from '../../harness/probe.ts';
import { residentMemory } from '../../harness/process-usage.ts';
import { NODE_FLAGS, startServer, type TestServer } from '../../harness/server.ts';
import { type CreatedKind, CUSTOM_KIND, createdKinds, customKind, everyBody, largestBodies } from '../../harness/swept-bodies.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';
import { identity } from '../../kinds/context.ts';

const SWEEP = process.env.SWEEP ?? 'some';
const SEED = Number(process.env.SWEEP_SEED ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 8;
/** Milliseconds in which others are asked without long bodies, now and then, to compare: the machine may have other work. */
const IDLE = 500;
/** Milliseconds after which memory is given back. */
const GIVEN_BACK = 60_000;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SEEN = '/api/v1/namespaces/default/configmaps/seen';

const MODES = [
  { name: 'one process', workers: 0, kinds: 2 },
  { name: 'two workers', workers: 2, kinds: 1 },
].filter(({ workers }) => process.env.SWEEP_WORKERS === undefined || process.env.SWEEP_WORKERS === `${workers}`);

const all = [...(await createdKinds(identity.text)), customKind()].filter((kind) => largestBodies(kind).length > 0);
const random = new Random(SEED);
for (const { name, workers, kinds: count } of MODES) {
  const test = suite(`long bodies of every kind, ${name}, SWEEP_SEED=${SEED}`);
  const kinds = SWEEP === 'some' ? sample(count) : all;
  const bodies = kinds.flatMap(SWEEP === 'all' ? everyBody : largestBodies);
  let server: TestServer;
  let client: Client;
  let probe: Probe;
  let idleMemory = 0;
  const waits: { readonly idle: number[]; readonly busy: number[] } = { idle: [], busy: [] };
  const rest = async (): Promise<void> => {
    waits.busy.push(...(await probe.waits()));
    await sleep(IDLE);
    waits.idle.push(...(await probe.waits()));
  };
  test.before(async () => {
    server = await startServer({
      dialect: 'kubernetes',
      flags: [
        '--disable-admission-plugins=ServiceAccount',
        '--authorization-mode=Node,RBAC',
        ...(workers > 0 ? [`--workers=${workers}`] : []),
      ],
      preload: TURN_MONITOR,
      nodeFlags: NODE_FLAGS,
    });
    client = new Client(server);
    await prepare(client);
    // kinds and verbs are loaded with the first request that needs them, in each process; connections go to these in turn
    for (const each of [client, new Client(server)]) {
      for (const { path } of kinds) await each.post(path, {});
      if (each !== client) each.close();
    }
    await untilQuiet(server);
    probe = await Probe.start(server, server.tokens.alice, ['/readyz', SEEN]);
    await probe.waits();
    await rest();
    idleMemory = residentMemory(server.pid);
  });
  test.after(async () => {
    await probe.stop();
    client.close();
    await server.stop();
  });

  /** Sends bodies, after what they made the last time is gone; resolves to what removes what they made. */
  function afresh(some: readonly LongBody[]): () => Promise<() => Promise<void>> {
    let paths: (string | undefined)[] = [];
    const remove = async () => {
      for (const path of paths) if (path !== undefined) await client.delete(path);
    };
    return async () => {
      await remove();
      paths = await Promise.all(some.map((body) => send(client, body)));
      return remove;
    };
  }

  for (const body of bodies)
    test(`nobody waits for ${body.name}`, async () => {
      const remove = await assertShortTurns(server, afresh([body]), REPEATED);
      await remove();
    });

  for (let at = 0; at < bodies.length; at += AT_ONCE) {
    const some = bodies.slice(at, at + AT_ONCE);
    test(`nobody waits for ${some.length} at once, from ${some[0]?.name} on`, async () => {
      const remove = await assertShortTurns(server, afresh(some), REPEATED);
      await remove();
      await rest();
    });
  }

  test('others are answered soon', () => {
    console.log(`\n${name}: ${shown(waits.busy)}; idle: ${shown(waits.idle)}`);
    assert.ok(waits.busy.length > 0);
    // clocks are not to decide what is run with other tests
    if (SWEEP !== 'some') assert.ok(p99(waits.busy) < 50 * Math.max(1, p99(waits.idle) / QUIET), shown(waits.busy));
  });

  test('the memory of all that is given back', async () => {
    const end = performance.now() + GIVEN_BACK;
    while (performance.now() < end && residentMemory(server.pid) > 2 * idleMemory) await sleep(250);
    const left = residentMemory(server.pid);
    assert.ok(left <= 2 * idleMemory, `${left} of ${idleMemory}`);
  });

  test.run();
}

/** Milliseconds within which 99 of 100 answers come on a machine that does nothing else. */
const QUIET = 5;

const p99 = (waits: readonly number[]): number => waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;

const shown = (waits: readonly number[]): string => `99 of 100 of ${waits.length} answers in ${p99(waits).toFixed(1)} ms`;

function sample(count: number): CreatedKind[] {
  const left = [...all];
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] as CreatedKind);
}

/** What the bodies and those who ask meanwhile need. */
async function prepare(client: Client): Promise<void> {
  assert.is((await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'seen' } })).status, 201);
  const binding = {
    metadata: { name: 'others' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  };
  assert.is((await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)).status, 201);
  assert.is((await client.post(DEFINITIONS, CUSTOM_KIND)).status, 201);
  await eventually('the custom kind is served', async () => (await client.get(customKind().path)).status === 200);
}

/** @returns the path of what was created */
async function send(client: Client, { path, text, name }: LongBody): Promise<string | undefined> {
  const answer = await client.request('POST', path, { body: text(), headers: { 'content-type': 'application/json' }, timeout: 180_000 });
  assert.ok(answer.status < 500 || answer.status === 504, `${name}: ${answer.status} ${answer.text.slice(0, 500)}`);
  assertNoTrace(answer);
  const created = answer.status === 201 ? (answer.body?.metadata?.name as string | undefined) : undefined;
  return created === undefined || created === '' ? undefined : `${path}/${created}`;
}
