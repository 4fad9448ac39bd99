/** A server that a service manager has started: it hears when the server is ready, serves, reads its files again and ends. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lacksServiceManager, NotifySocket } from '../../harness/notify-socket.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('a service');
/** Microseconds in which the service manager wants to hear that the server serves. */
const WATCHDOG = 900_000;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((child) => commandOf(child).includes('cluster-apiserver.js'));

/** '' of a process that has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

const missing = lacksServiceManager();
if (missing !== undefined) process.stdout.write(`SKIPPED: ${missing}\n`);

for (const workers of missing === undefined ? [1, 2] : [])
  test(`of ${workers} process(es) tells how it is`, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'service-'));
    const address = path.join(folder, 'notify');
    const socket = await NotifySocket.bind(address);
    const env = { NOTIFY_SOCKET: address, WATCHDOG_USEC: String(WATCHDOG) };
    const server = await startServer({ dialect: 'kubernetes', flags: [`--workers=${workers}`], env });
    try {
      assert.equal(await socket.has('READY=1'), ['READY=1', `STATUS=serves at ${server.url}`]);
      await socket.has('WATCHDOG=1');
      if (workers > 1) await stopsWithWorker(server.pid, socket);
      const before = socket.messages.length;
      process.kill(server.pid, 'SIGHUP');
      const reloading = await socket.has('RELOADING=1', before);
      assert.match(reloading.join(' '), /MONOTONIC_USEC=\d+/);
      const ready = await socket.has('READY=1', before);
      assert.equal(ready, ['READY=1', `STATUS=serves at ${server.url}; files that have changed: 0`]);
      assert.ok(socket.messages.indexOf(reloading) < socket.messages.indexOf(ready));
      assert.is(await server.stop(), 0);
      const stopping = await socket.has('STOPPING=1', before);
      assert.match(stopping.join(' '), /EXTEND_TIMEOUT_USEC=150000000$/);
      assert.is(socket.messages.at(-1), stopping);
      assert.equal(server.faults(), []);
    } finally {
      await server.kill();
      socket.close();
      await rm(folder, { recursive: true });
    }
  });

/** One worker that hangs is enough: whoever is connected to it is not served. */
async function stopsWithWorker(pid: number, socket: NotifySocket): Promise<void> {
  const [worker] = childrenOf(pid);
  assert.not.match(readFileSync(`/proc/${worker}/environ`, 'utf8'), /NOTIFY_SOCKET|WATCHDOG/);
  process.kill(worker as number, 'SIGSTOP');
  try {
    const length = await silence(socket);
    process.kill(worker as number, 'SIGCONT');
    await socket.has('WATCHDOG=1', length);
  } finally {
    process.kill(worker as number, 'SIGCONT');
  }
}

/** Resolves once nothing has come for three times as long as the watchdog waits; what was on its way comes before that. @returns the number of messages */
async function silence({ messages }: NotifySocket): Promise<number> {
  for (const until = Date.now() + 60_000; ; ) {
    const { length } = messages;
    await sleep((3 * WATCHDOG) / 1_000);
    if (messages.length === length) return length;
    assert.ok(Date.now() < until, 'the watchdog hears that a server serves of which a worker hangs');
  }
}

if (missing === undefined)
  test('says how many of its workers answer, from when one dies until another one has its place', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'service-'));
    const address = path.join(folder, 'notify');
    const socket = await NotifySocket.bind(address);
    const server = await startServer({ dialect: 'cluster', flags: ['--workers=2'], env: { NOTIFY_SOCKET: address } });
    try {
      await socket.has('READY=1');
      // the second one has ended in order, by a signal for it alone
      for (const [index, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
        const before = socket.messages.length;
        process.kill(childrenOf(server.pid)[index] as number, signal);
        const fewer = await socket.has(
          `STATUS=serves at ${server.url}; 1 of 2 worker processes answer, the others are started again`,
          before,
        );
        const all = await socket.has(`STATUS=serves at ${server.url}`, before);
        assert.equal(socket.messages.slice(before), [fewer, all]);
        assert.is(childrenOf(server.pid).length, 2);
      }
      const before = socket.messages.length;
      assert.is(await server.stop(), 0);
      // workers that end with the server are no news
      assert.equal(
        socket.messages.slice(before).map(([first]) => first),
        ['STOPPING=1'],
      );
    } finally {
      await server.kill();
      socket.close();
      await rm(folder, { recursive: true });
    }
  });

if (missing === undefined)
  test('asks for time when it takes long to start, once for each thing that it waits for', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'service-'));
    const address = path.join(folder, 'notify');
    const socket = await NotifySocket.bind(address);
    const file = path.join(folder, 'encryption.json');
    // a start waits ten seconds for a service that is not there
    const kms = { apiVersion: 'v2', name: 'none', endpoint: `unix://${folder}/none.sock` };
    const object = {
      kind: 'EncryptionConfiguration',
      apiVersion: 'apiserver.config.k8s.io/v1',
      resources: [{ resources: ['secrets'], providers: [{ identity: {} }, { kms }] }],
    };
    await writeFile(file, JSON.stringify(object), { mode: 0o600 });
    const starting = (workers: number) =>
      startServer({
        dialect: 'kubernetes',
        flags: [`--workers=${workers}`, `--encryption-provider-config=${file}`],
        env: { NOTIFY_SOCKET: address },
      });
    try {
      for (const [workers, doing] of [
        [1, /^STATUS=starts: opens the store$/],
        [2, /^STATUS=starts: worker \d+ opens the store$/],
      ] as const) {
        const before = socket.messages.length;
        const server = await starting(workers);
        const ready = socket.messages.indexOf(await socket.has('READY=1', before));
        assert.is(await server.stop(), 0);
        const asked = socket.messages.slice(before, ready);
        assert.match(String(asked[0]?.[0]), doing);
        for (const [, ...rest] of asked) assert.equal(rest, ['EXTEND_TIMEOUT_USEC=30000000']);
        assert.is(new Set(asked.map(([status]) => status)).size, asked.length);
        await socket.has('STOPPING=1', ready);
      }
    } finally {
      socket.close();
      await rm(folder, { recursive: true });
    }
  });

test('that nobody watches runs without', async () => {
  const server = await startServer({ dialect: 'cluster', env: { NOTIFY_SOCKET: '', WATCHDOG_USEC: '1' } });
  assert.is(await server.stop(), 0);
  assert.is(server.log(), '');
});

test.run();
