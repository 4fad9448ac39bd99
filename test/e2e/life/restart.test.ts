/** What was acknowledged outlives the process; what cannot start says why. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { type ServerOptions, ServerStartError, startServer } from '../../harness/server.ts';

const test = suite('restart');

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const configmap = (name: string, data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

async function inFolder(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-restart-'));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Rounds of writes before the crash, and the milliseconds that they may take. */
const ROUNDS = 200;
const LONGEST_LOAD = 30_000;

/** What one writer was told. */
interface Acknowledged {
  /** resourceVersions of objects that it created, by name */
  readonly created: Map<string, string>;
  readonly deleted: Set<string>;
  /** of the one object that it changes all the time */
  counter: { readonly value: number; readonly resourceVersion: string } | undefined;
}

/** Creates objects, deletes every fourth and changes one again and again, until the connection breaks. @param progress counts the rounds */
async function write(client: Client, writer: number, progress: { rounds: number }): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { created: new Map(), deleted: new Set(), counter: undefined };
  try {
    await client.post(CONFIGMAPS, configmap(`counter-${writer}`, { value: '0' }));
    for (let i = 1; ; i++) {
      const name = `w${writer}-${i}`;
      const created = await client.post(CONFIGMAPS, configmap(name, { filler: 'x'.repeat(1_000) }));
      assert.is(created.status, 201, created.text);
      acknowledged.created.set(name, created.body.metadata.resourceVersion);
      const counted = await client.patch(`${CONFIGMAPS}/counter-${writer}`, { data: { value: String(i) } });
      assert.is(counted.status, 200, counted.text);
      acknowledged.counter = { value: i, resourceVersion: counted.body.metadata.resourceVersion };
      progress.rounds++;
      if (i % 4 !== 0) continue;
      acknowledged.created.delete(name);
      const deleted = await client.delete(`${CONFIGMAPS}/${name}`);
      assert.is(deleted.status, 200, deleted.text);
      acknowledged.deleted.add(name);
    }
  } catch (error) {
    if (error instanceof assert.Assertion) throw error;
    return acknowledged;
  }
}

test('kill -9 under load: every acknowledged write is there, with its resourceVersion', () =>
  inFolder(async (directory) => {
    const first = await startServer({ dialect: 'kubernetes', directory });
    const clients = Array.from({ length: 8 }, () => new Client(first));
    const progress = { rounds: 0 };
    const writers = clients.map((client, writer) => write(client, writer, progress));
    const until = Date.now() + LONGEST_LOAD;
    while (progress.rounds < ROUNDS && Date.now() < until) await sleep(10);
    await first.kill();
    const acknowledged = await Promise.all(writers);
    for (const client of clients) client.close();
    // as of a list that was about to go through a file
    const left = path.join(directory, 'data', 'spool-0123456789abcdef');
    await writeFile(left, '');

    const second = await startServer({ dialect: 'kubernetes', directory });
    const client = new Client(second);
    try {
      assert.not(existsSync(left));
      const list = await client.get(CONFIGMAPS);
      const found = new Map<string, Json>(list.body.items.map((item: Json) => [item.metadata.name, item]));
      const newest = Number(list.body.metadata.resourceVersion);
      let writes = 0;
      for (const [writer, { created, deleted, counter }] of acknowledged.entries()) {
        for (const [name, version] of created) {
          assert.is(found.get(name)?.metadata.resourceVersion, version, name);
          assert.ok(Number(version) <= newest);
        }
        for (const name of deleted) assert.not(found.has(name), name);
        const now = found.get(`counter-${writer}`);
        // The change that was under way may have been stored without an answer.
        if (counter !== undefined && now?.data.value !== String(counter.value + 1)) {
          assert.is(now?.data.value, String(counter.value));
          assert.is(now?.metadata.resourceVersion, counter.resourceVersion);
        }
        writes += created.size + 2 * deleted.size + (counter?.value ?? 0);
      }
      assert.ok(writes > 50, `only ${writes} writes were acknowledged`);

      const after = await client.post(CONFIGMAPS, configmap('after', {}));
      assert.ok(Number(after.body.metadata.resourceVersion) > newest, 'a resourceVersion was given out twice');
    } finally {
      client.close();
      await second.stop();
    }
  }));

test('a watch goes on where it stopped, over a restart', () =>
  inFolder(async (directory) => {
    const first = await startServer({ dialect: 'kubernetes', directory, flags: ['--controllers=-*'] });
    let client = new Client(first);
    const start = (await client.get(CONFIGMAPS)).body.metadata.resourceVersion;
    await client.post(CONFIGMAPS, configmap('a', { value: '1' }));
    await client.patch(`${CONFIGMAPS}/a`, { data: { value: '2' } });
    await client.delete(`${CONFIGMAPS}/a`);
    const watch = await client.watch(`${CONFIGMAPS}?watch=1`);
    assert.is(await first.stop(), 0, 'SIGTERM ends the server with code 0, a watch open or not');
    assert.ok(watch.complete, 'the watch was cut instead of ended');
    client.close();

    const second = await startServer({ dialect: 'kubernetes', directory, flags: ['--controllers=-*'] });
    client = new Client(second);
    try {
      const resumed = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${start}`);
      const events = [await resumed.next(), await resumed.next(), await resumed.next()];
      resumed.close();
      assert.equal(
        events.map(({ type, object }) => `${type} ${object.data.value}`),
        ['ADDED 1', 'MODIFIED 2', 'DELETED 2'],
      );
    } finally {
      client.close();
      await second.stop();
    }
  }));

/** @returns what the server said when it could not start */
async function failure(options: ServerOptions): Promise<ServerStartError> {
  try {
    const server = await startServer(options);
    await server.stop();
  } catch (error) {
    if (error instanceof ServerStartError) return error;
    throw error;
  }
  throw new Error('the server started');
}

function assertSaid(error: ServerStartError, message: RegExp): void {
  assert.ok(error.exitCode !== null && error.exitCode !== 0, `exit code ${error.exitCode}`);
  assert.match(error.output, message);
  assert.not.match(error.output, /^\s+at \S+.*:\d+:\d+\)?$/m, error.output);
}

test('a data directory of the other dialect is refused', () =>
  inFolder(async (directory) => {
    await (await startServer({ dialect: 'cluster', directory })).stop();
    const error = await failure({ dialect: 'kubernetes', directory });
    assertSaid(error, /dialect/);
    assert.match(error.output, /"?cluster"?/);
    const again = await startServer({ dialect: 'cluster', directory });
    await again.stop();
  }));

test('what the server keeps itself is there again after a restart, as it was meant', () =>
  inFolder(async (directory) => {
    const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
    const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
    const server = await startServer({ dialect: 'kubernetes', directory });
    const client = new Client(server);
    const dangling = async (name: string): Promise<string | undefined> =>
      (await client.get(`${SCHEMAS}/${name}`)).body.status?.conditions?.[0]?.status;
    const shares = { spec: { limited: { nominalConcurrencyShares: 99 } } };
    assert.is((await client.patch(`${LEVELS}/system`, shares)).status, 200);
    const own = { metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } } };
    assert.is((await client.patch(`${LEVELS}/workload-low`, { ...shares, ...own })).status, 200);
    assert.is((await client.delete(`${LEVELS}/node-high`)).status, 200);
    await eventually('its schema dangles', async () => (await dangling('system-node-high')) === 'True');
    await server.stop();
    const again = await startServer({ dialect: 'kubernetes', directory });
    try {
      const later = new Client(again);
      const sharesOf = async (name: string): Promise<number> =>
        (await later.get(`${LEVELS}/${name}`)).body.spec.limited.nominalConcurrencyShares;
      assert.equal([await sharesOf('system'), await sharesOf('workload-low'), await sharesOf('node-high')], [30, 99, 40]);
      assert.is((await later.delete('/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical')).status, 403);
    } finally {
      await again.stop();
    }
  }));

test('a port that is taken', async () => {
  const first = await startServer({ dialect: 'kubernetes' });
  try {
    const error = await failure({ dialect: 'kubernetes', port: first.port });
    assertSaid(error, new RegExp(`${first.port}`));
    assert.match(error.output, /in use|EADDRINUSE/);
  } finally {
    await first.stop();
  }
});

const wrongFlags: readonly { name: string; flags: readonly string[]; says: RegExp }[] = [
  { name: 'an unknown flag', flags: ['--token-aut-file=x'], says: /unknown flag: --token-aut-file.*--token-auth-file/ },
  { name: 'a dialect that is none', flags: ['--dialect=klingon'], says: /klingon/ },
  { name: 'a file that is not there', flags: ['--token-auth-file=/nowhere/tokens.csv'], says: /\/nowhere\/tokens\.csv/ },
  {
    name: 'an authority that is no certificate',
    flags: [`--client-ca-file=${import.meta.filename}`],
    says: /client-ca-file|restart\.test\.ts/,
  },
];
for (const { name, flags, says } of wrongFlags)
  test(`${name} is said`, async () => assertSaid(await failure({ dialect: 'kubernetes', flags }), says));

test.run();
