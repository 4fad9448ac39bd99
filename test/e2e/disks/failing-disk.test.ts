/**
 * A server whose disk fails (EIO): writes are refused by a Status that says so, reads go on, nothing acknowledged is lost, and nothing that was refused is ever seen. Where
 * the log cannot take back what it may have taken, clients are told that nobody knows: see unflushed-log.test.ts.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { FailingDisk, type Failure } from '../../harness/failing-disk.ts';
import { leaveLog } from '../../harness/left-log.ts';
import { runProgram } from '../../harness/program.ts';
import { projectRoot, ServerStartError, startServer, type TestServer } from '../../harness/server.ts';
import type { WatchEvent } from '../../harness/watch.ts';
import { WriteLedger } from '../life/killed-servers/write-ledger.ts';

const disk = FailingDisk.make();
if (typeof disk === 'string') {
  console.log(`SKIPPED: ${disk}`);
  process.exit(0);
}
const folder = mkdtempSync(path.join(tmpdir(), 'failing-disk-'));
const test = suite('a failing disk');
test.before.each(() => disk.recover());
test.after(() => {
  disk.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Milliseconds; far above what anything here takes, for machines under load. */
const PATIENCE = 30_000;
const CLIENTS = 4;
/** Names that one client writes to. */
const NAMES = 8;
const who = (workers: number): string => (workers === 1 ? 'one process' : `${workers} workers`);

const start = (directory: string, workers: number, env = disk.env): Promise<TestServer> =>
  startServer({ dialect: 'kubernetes', directory, flags: [`--workers=${workers}`], env });

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE; !isSo(); await sleep(20)) assert.ok(Date.now() < end, `${what}: it does not come to that`);
}

/** What a connection ends with whose process ends. */
const BROKEN: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);
const ENDING = 'the store cannot be read: its disk fails';
const REFUSAL = 'the store cannot be written: its disk fails (EIO)';
const IN_DOUBT = 'Timeout: it is not known whether that was written: the disk of the store fails (EIO)';

/** Of writes: what an object has that was written last. */
let seeds = 0;

/** Clients that write config maps, whatever they are answered. */
class Load {
  acknowledged = 0;
  refused = 0;
  broken = 0;
  /** names of whose last write it is not known what became of it, until a list tells */
  readonly #inDoubt = new Set<string>();
  readonly #client: Client;
  readonly #ledger: WriteLedger;
  readonly #running: Promise<void>[];
  readonly #ends: boolean;
  #isOver = false;
  #failure: unknown;

  /** @param ends the process that answers may end */
  constructor(server: TestServer, ledger: WriteLedger, ends = false) {
    this.#ends = ends;
    this.#client = new Client(server);
    this.#ledger = ledger;
    this.#running = Array.from({ length: CLIENTS }, (_, index) => this.#run(index));
  }

  /** Resolves when so many more have come to that. */
  more(count: number, outcome: 'acknowledged' | 'refused' | 'broken'): Promise<void> {
    const least = this[outcome] + count;
    return until(`${least} writes are ${outcome}`, () => {
      if (this.#failure !== undefined) throw this.#failure;
      return this[outcome] >= least;
    });
  }

  /** Resolves when nothing is under way. @throws what was wrong with an answer */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    this.#client.close();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #run(index: number): Promise<void> {
    for (let i = 0; !this.#isOver && this.#failure === undefined; i++) {
      const name = `w-${index}-${i % NAMES}`;
      try {
        if (this.#inDoubt.has(name)) await sleep(1);
        else await this.#write(name, ++seeds);
      } catch (error) {
        if (!BROKEN.has((error as NodeJS.ErrnoException).code)) this.#failure = error;
        this.broken++;
        // nobody knows what became of it until the next server tells
        return;
      }
    }
  }

  async #write(name: string, seed: number): Promise<void> {
    const before = this.#ledger.latest(name);
    const isThere = before !== undefined && before.operation !== 'delete';
    const operation = isThere ? (seed % 5 === 3 ? 'delete' : 'update') : 'create';
    const write = this.#ledger.begin(operation, name, String(seed));
    const body = { metadata: { name }, data: { seed: write.seed, padding: 'x'.repeat((seed * 977) % 5_000) } };
    const at = `${CONFIGMAPS}/${name}`;
    const send = {
      create: () => this.#client.post(CONFIGMAPS, body),
      update: () => this.#client.put(at, body),
      delete: () => this.#client.delete(at),
    };
    const { status, body: answer, text } = await send[operation]();
    // LMDB has ended, and its process is about to; what became of the write is not known
    if (this.#ends && ((status === 503 && answer.message === ENDING) || (status === 504 && answer.message === IN_DOUBT)))
      throw Object.assign(new Error(text), { code: 'ECONNRESET' });
    if (status === 504) {
      assert.equal([answer.kind, answer.status, answer.reason, answer.message], ['Status', 'Failure', 'Timeout', IN_DOUBT]);
      this.#inDoubt.add(name);
      return;
    }
    if (status === 503) {
      assert.equal([answer.kind, answer.status, answer.reason, answer.message], ['Status', 'Failure', 'ServiceUnavailable', REFUSAL]);
      this.#ledger.refuse(write);
      this.refused++;
      return;
    }
    assert.is(status, operation === 'create' ? 201 : 200, text);
    this.#ledger.acknowledge(write, operation === 'delete' ? undefined : Number(answer.metadata.resourceVersion));
    this.acknowledged++;
  }
}

/** The server makes objects of its own, and so do tests. */
const isNotOurs = (name: string): boolean => !name.startsWith('w-');

/** Nobody asks for that: writes are taken again once the disk works. */
async function comesBack(client: Client, name: string): Promise<number> {
  for (const end = Date.now() + PATIENCE; ; await sleep(50)) {
    const { status, body, text } = await client.post(CONFIGMAPS, { metadata: { name } });
    if (status === 201) return Number(body.metadata.resourceVersion);
    assert.is(status, 503, text);
    assert.ok(Date.now() < end, 'it does not come back');
  }
}

let marks = 0;

/** While nobody writes: the server has all that was acknowledged, and nothing that was refused. Begins a round. */
async function check(server: TestServer, ledger: WriteLedger): Promise<void> {
  const client = new Client(server);
  try {
    await checkList(server, ledger);
    const revision = await comesBack(client, `mark-${++marks}`);
    if (ledger.round >= 0) await checkWatch(client, ledger, revision);
    ledger.beginRound(revision);
  } finally {
    client.close();
  }
}

async function checkList(server: TestServer, ledger: WriteLedger): Promise<void> {
  const client = new Client(server);
  const { status, body, text } = await client.get(CONFIGMAPS);
  client.close();
  assert.is(status, 200, text);
  ledger.checkList(body, isNotOurs);
}

async function checkWatch(client: Client, ledger: WriteLedger, revision: number): Promise<void> {
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${ledger.beginning(ledger.round)}`);
  const events: WatchEvent[] = [];
  do events.push(await watch.next(PATIENCE));
  while (Number(events.at(-1)?.object.metadata.resourceVersion) < revision);
  watch.close();
  ledger.checkEvents(ledger.round, events, isNotOurs);
}

/** By every way to read. */
async function assertReadable(server: TestServer, name: string): Promise<void> {
  const client = new Client(server);
  const paths = [
    `${CONFIGMAPS}/${name}`,
    ...['', '?limit=2', '?resourceVersion=0', '?labelSelector=of'].map((query) => CONFIGMAPS + query),
  ];
  for (const each of [...paths, '/api/v1/namespaces', '/readyz', '/livez', '/version', '/metrics'])
    assert.is((await client.get(each)).status, 200, each);
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=1&resourceVersionMatch=NotOlderThan`);
  assert.is((await watch.next(PATIENCE)).type, 'ADDED');
  watch.close();
  client.close();
}

async function assertWhole(directory: string): Promise<void> {
  const { code, out } = await runProgram('check', `--data-dir=${path.join(directory, 'data')}`);
  assert.match(out, /^nothing is damaged$/m, out);
  assert.is(code, 0);
}

const lines = (server: TestServer, part: RegExp): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => part.test(line));
const TROUBLE = /the store cannot be written; it can be read, and is tried again.*\/store\/data\.mdb cannot be written: [^"]*\(EIO\)/;

/** Before LMDB's own pages fail: those of a transaction that is under way then are what `disk-gate.ts` cannot keep from it. */
const GATE: readonly Failure[] = ['write /store/gate.', 'drop /store/ahead.log'];
const FAILURES: Readonly<Record<string, readonly Failure[]>> = {
  'that takes nothing': ['write /store/', 'drop /store/ahead.log'],
  'that loses what it took, so that of what the log cannot take back nobody knows,': ['flush /store/data.mdb', 'sync /store/ahead.log'],
};

for (const [what, failures] of Object.entries(FAILURES))
  for (const workers of [1, 2])
    test(`${what} stops the writes of ${who(workers)} alone, which go on when it works`, async () => {
      const directory = mkdtempSync(path.join(folder, 'stopped-'));
      const ledger = new WriteLedger();
      let server = await start(directory, workers);
      try {
        await check(server, ledger);
        const load = new Load(server, ledger);
        await load.more(30, 'acknowledged');
        disk.fail(...(failures.includes('write /store/') ? GATE : failures));
        await load.more(20, 'refused');
        disk.fail(...failures);
        await load.more(20, 'refused');
        await assertReadable(server, `mark-${marks}`);
        await load.more(5, 'refused');
        disk.recover();
        await load.more(30, 'acknowledged');
        await load.end();
        await check(server, ledger);
        await until('the log tells', () => lines(server, /the store can be written again/).length > 0);
        const told = lines(server, TROUBLE);
        // what was under way may have succeeded behind the first one that failed
        assert.ok(told.length > 0 && told.length <= 2 * workers, server.log());
        assert.equal(
          // controllers tell what they were refused
          server.faults().filter((line) => !TROUBLE.test(line) && !line.includes(REFUSAL)),
          [],
        );

        const killed = new Load(server, ledger);
        await killed.more(10, 'acknowledged');
        disk.fail(...(failures.includes('write /store/') ? GATE : failures));
        await killed.more(10, 'refused');
        disk.fail(...failures);
        await killed.more(10, 'refused');
        await server.kill();
        await killed.end();
        server = await start(directory, workers);
        await assertReadable(server, `mark-${marks}`);
        await checkList(server, ledger);
        const refused = new Load(server, ledger);
        await refused.more(10, 'refused');
        await refused.end();
        disk.recover();
        await check(server, ledger);
        assert.is(await server.stop(), 0);
        await assertWhole(directory);
      } finally {
        await server.kill();
      }
    });

/** LMDB does not know then which of two transactions is the newest one. */
const HEAD: Failure = 'sync /store/data.mdb';
const STUCK =
  /this process goes on no more with the store.*\/store\/data\.mdb cannot be written: a transaction of LMDB has not ended \(EIO\)/;
const END = /this process goes on no more with the store.*\/store\/data\.mdb cannot be written: [^"]*\(EIO\)/;

test('that may have the newest transaction, or not, ends the process, and the next one has all', async () => {
  const directory = mkdtempSync(path.join(folder, 'ended-'));
  const ledger = new WriteLedger();
  let server = await start(directory, 1);
  try {
    for (let i = 0; i < 3; i++) {
      await check(server, ledger);
      const load = new Load(server, ledger, true);
      await load.more(20 + i, 'acknowledged');
      disk.fail(HEAD);
      await until('the process ends', () => !server.running());
      await load.end();
      assert.is(lines(server, END).length, 1, server.log());
      disk.recover();
      server = await start(directory, 1);
    }
    await check(server, ledger);
    assert.is(await server.stop(), 0);
    await assertWhole(directory);
  } finally {
    await server.kill();
  }
});

test('that may have the newest transaction, or not, ends workers, which are replaced', async () => {
  const directory = mkdtempSync(path.join(folder, 'replaced-'));
  const ledger = new WriteLedger();
  const server = await start(directory, 2);
  try {
    for (let i = 1; i <= 2; i++) {
      await check(server, ledger);
      const load = new Load(server, ledger, true);
      await load.more(20, 'acknowledged');
      disk.fail(HEAD);
      await until('a worker ends', () => lines(server, END).length >= i);
      disk.recover();
      await until('a worker is replaced', () => lines(server, /a worker ended and is replaced/).length >= i);
      await load.end();
    }
    await check(server, ledger);
    assert.is(await server.stop(), 0);
    await assertWhole(directory);
  } finally {
    await server.kill();
  }
});

test('that comes to no end with a write ends workers, which are replaced', async () => {
  const directory = mkdtempSync(path.join(folder, 'stuck-'));
  const ledger = new WriteLedger();
  const server = await start(directory, 2);
  try {
    await check(server, ledger);
    const load = new Load(server, ledger, true);
    await load.more(20, 'acknowledged');
    // behind a write that has failed there is little patience
    disk.fail('flush /store/data.mdb');
    await load.more(10, 'refused');
    disk.fail('hang /store/data.mdb');
    await until('a worker ends', () => lines(server, STUCK).length > 0);
    disk.recover();
    await until('a worker is replaced', () => lines(server, /a worker ended and is replaced/).length > 0);
    await load.end();
    await check(server, ledger);
    assert.is(await server.stop(), 0);
    await assertWhole(directory);
  } finally {
    disk.recover();
    await server.kill();
  }
});

test('that may have the newest transaction, or not, ends no program with a server in it, which can be stopped', async () => {
  const directory = mkdtempSync(path.join(folder, 'embedded-'));
  const program = [path.join(projectRoot, 'test/embedded/ended-store.ts'), directory, HEAD];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env: { ...process.env, ...disk.env }, timeout: 2 * PATIENCE });
  const [written, ...read] = JSON.parse(stdout.trim().split('\n').at(-1) as string);
  // as LMDB gets what was deferred, or what is told of
  assert.ok([REFUSAL, IN_DOUBT].includes(written), written);
  assert.equal(read, [ENDING, ENDING]);
});

test('that has the write-ahead log alone costs nobody anything, and is told with its file', async () => {
  const directory = mkdtempSync(path.join(folder, 'log-'));
  const ledger = new WriteLedger();
  let server = await start(directory, 1);
  try {
    await check(server, ledger);
    const load = new Load(server, ledger);
    await load.more(20, 'acknowledged');
    disk.fail('sync /store/ahead.log');
    await load.more(100, 'acknowledged');
    assert.is(load.refused, 0);
    await server.kill();
    await load.end();
    assert.is(
      lines(server, /the write-ahead log cannot be written.*\/store\/ahead\.log cannot be written: its disk fails \(EIO\)/).length,
      1,
      server.log(),
    );
    assert.equal(server.faults(), []);
    server = await start(directory, 1);
    await check(server, ledger);
  } finally {
    await server.kill();
  }
});

/** What a server has left that was killed: writes stand in its log alone. */
const left = mkdtempSync(path.join(folder, 'left-'));
test('that works leaves what the following ones do not read', () => leaveLog(left));

for (const file of ['/store/ahead.log', '/store/data.mdb', 'tokens.csv', '/pki/ca.crt', '/pki/ca.key', '/pki/service-account.key'])
  test(`that cannot read ${file} has no server start, which names it`, async () => {
    disk.fail(`read ${file}`);
    const outcome = await start(left, 1).then(
      (server) => server.kill(),
      (error) => error,
    );
    assert.instance(outcome, ServerStartError);
    const { output, exitCode } = outcome as ServerStartError;
    assert.match(output, new RegExp(`^cluster-apiserver: .*${file.replaceAll('.', '\\.')}.*\\bEIO\\b`, 'm'));
    assert.not.match(output, /^\s+at /m);
    assert.is(exitCode, 1);
  });

test('that cannot read the client configuration has it written anew', async () => {
  disk.fail('read /admin.conf');
  const server = await start(left, 1);
  const client = new Client(server);
  assert.is((await client.get(CONFIGMAPS)).status, 200);
  client.close();
  assert.is(await server.stop(), 0);
  await assertWhole(left);
});

test.run();
