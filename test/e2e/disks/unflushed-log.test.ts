/**
 * Writes whose record of the write-ahead log could not be flushed, while nothing else takes them either: where the record was taken back they are refused, and nobody
 * sees them, also behind a sudden end; where it could not be, it is not known what becomes of them, and clients are told so.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client } from '../../harness/client.ts';
import { FailingDisk, type Failure } from '../../harness/failing-disk.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const disk = FailingDisk.make();
if (typeof disk === 'string') {
  console.log(`SKIPPED: ${disk}`);
  process.exit(0);
}
const folder = mkdtempSync(path.join(tmpdir(), 'unflushed-log-'));
const test = suite('a log that cannot be flushed');
test.before.each(() => disk.recover());
test.after(() => {
  disk.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Clients that write at the same moment: some of their writes share a flush. */
const CLIENTS = 4;
const NAMES = Array.from({ length: CLIENTS }, (_, index) => `written-${index}`);
/** Milliseconds; twice what LMDB waits for at most. */
const SETTLED = 2_000;
/** LMDB gets nothing. */
const GATE: Failure = 'write /store/gate.';

const REFUSED = [503, 'ServiceUnavailable', 'the store cannot be written: its disk fails (EIO)'];
const IN_DOUBT = [504, 'Timeout', 'Timeout: it is not known whether that was written: the disk of the store fails (EIO)'];

/** Nobody but tests writes, once it has started. */
const start = (directory: string): Promise<TestServer> =>
  startServer({ dialect: 'kubernetes', directory, flags: ['--controllers=-*', '--feature-gates=APIServerIdentity=false'], env: disk.env });

async function writeAll(server: TestServer): Promise<Answer[]> {
  const client = new Client(server);
  try {
    return await Promise.all(NAMES.map((name) => client.post(CONFIGMAPS, { metadata: { name } })));
  } finally {
    client.close();
  }
}

async function written(server: TestServer): Promise<string[]> {
  const client = new Client(server);
  try {
    const { body } = await client.get(CONFIGMAPS);
    const names: string[] = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    return names.filter((name) => name.startsWith('written-') || name === 'mark');
  } finally {
    client.close();
  }
}

async function write(server: TestServer, name: string): Promise<Answer> {
  const client = new Client(server);
  try {
    return await client.post(CONFIGMAPS, { metadata: { name } });
  } finally {
    client.close();
  }
}

/** @param failure of the log. @returns the answers to writes that the log has tried to take, when nobody sees any of them */
const failed = async (server: TestServer, failure: Failure): Promise<Answer[]> => {
  assert.is((await write(server, 'mark')).status, 201);
  // LMDB has it by then: nothing is handed to LMDB while it takes nothing, so that the log is tried first
  await sleep(SETTLED);
  disk.fail(GATE, failure);
  const answers = await writeAll(server);
  for (const { status, body } of answers) assert.equal([status, body.reason, body.message], status === REFUSED[0] ? REFUSED : IN_DOUBT);
  assert.equal(await written(server), ['mark']);
  return answers;
};

const CASES: Readonly<Record<string, { readonly failure: Failure; readonly inDoubt: boolean; readonly comesBack: boolean }>> = {
  'that takes nothing refuses writes': { failure: 'drop /store/ahead.log', inDoubt: false, comesBack: false },
  'that has taken the record, and nothing since, does not know what becomes of it': {
    failure: 'last /store/ahead.log',
    inDoubt: true,
    comesBack: true,
  },
  'that says of nothing whether it was taken does not know what becomes of it': {
    failure: 'sync /store/ahead.log',
    inDoubt: true,
    comesBack: false,
  },
};

for (const [what, { failure, inDoubt, comesBack }] of Object.entries(CASES))
  test(what, async () => {
    const directory = mkdtempSync(path.join(folder, 'ended-'));
    let server = await start(directory);
    try {
      const answers = await failed(server, failure);
      const doubtful = NAMES.filter((_, index) => answers[index]?.status === IN_DOUBT[0]);
      assert.is(doubtful.length > 0, inDoubt);
      assert.equal((await write(server, 'behind')).status, REFUSED[0], 'what comes later does not go to the log');
      await server.kill();
      disk.recover();
      server = await start(directory);
      assert.equal(await written(server), ['mark', ...(comesBack ? doubtful : [])]);
      assert.is(await server.stop(), 0);
    } finally {
      await server.kill();
    }
  });

test('is in doubt until something else has been written', async () => {
  const directory = mkdtempSync(path.join(folder, 'recovered-'));
  let server = await start(directory);
  try {
    const answers = await failed(server, 'last /store/ahead.log');
    assert.ok(answers.some(({ status }) => status === IN_DOUBT[0]));
    disk.recover();
    const again = await writeAll(server);
    assert.equal(
      again.map(({ status }) => status),
      NAMES.map(() => 201),
    );
    await server.kill();
    server = await start(directory);
    assert.equal(await written(server), ['mark', ...NAMES]);
    assert.is(await server.stop(), 0);
  } finally {
    await server.kill();
  }
});

test.run();
