/** Files of a data directory that are not what a server left there: no server comes up over them as if nothing were, and no answer lacks anything. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { ServerStartError, startServer, type TestServer } from '../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'damaged-store-'));
const test = suite('damaged stores');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WRITES = 60;
let copies = 0;

const start = (directory: string, workers: number, ...flags: readonly string[]): Promise<TestServer> =>
  startServer({ dialect: 'kubernetes', directory, flags: [`--workers=${workers}`, ...flags] });

/** What a server leaves that is killed behind some writes, to be copied. */
async function left(workers: number): Promise<string> {
  const directory = path.join(folder, `left-by-${workers}`);
  mkdirSync(directory);
  const server = await start(directory, workers);
  const client = new Client(server);
  for (let i = 0; i < WRITES; i++) {
    const { status } = await client.post(CONFIGMAPS, { metadata: { name: `written-${i}` }, data: { text: `the value ${i}.` } });
    assert.is(status, 201);
  }
  client.close();
  await server.kill();
  return directory;
}

/** @returns another folder with the same files */
function copyOf(directory: string): string {
  const copy = path.join(folder, String(++copies));
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const inStore = (directory: string, file: string): string => path.join(directory, 'data', 'store', file);

async function isRefused(directory: string, workers: number, found: RegExp): Promise<void> {
  try {
    const server = await start(directory, workers);
    await server.kill();
  } catch (error) {
    assert.instance(error, ServerStartError);
    const { exitCode, output } = error as ServerStartError;
    assert.match(output, found);
    assert.match(output, /Nothing was changed.*put the whole folder back from a backup/);
    assert.is(exitCode, 1);
    return;
  }
  assert.unreachable(`the server started, where ${found} was to be told`);
}

function overwritten(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

const DATA = [
  { what: 'truncated', harm: (file: string) => truncateSync(file, 3 * 8_192), found: /data\.mdb is damaged: / },
  { what: 'emptied', harm: (file: string) => truncateSync(file, 0), found: /data\.mdb is empty, where .* beside it is of a store/ },
  { what: 'removed', harm: (file: string) => rmSync(file), found: /data\.mdb is missing, where / },
  {
    what: 'overwritten',
    harm: (file: string) => overwritten(file, (bytes) => bytes.fill(7)),
    found: /data\.mdb is damaged: its head 1 is not what was written/,
  },
  {
    what: 'overwritten behind its head',
    harm: (file: string) => overwritten(file, (bytes) => bytes.fill(0xab, 2 * 8_192)),
    found: /data\.mdb is damaged: /,
  },
  {
    what: 'removed with its whole folder',
    harm: (file: string) => rmSync(path.dirname(file), { recursive: true }),
    found: /data\.mdb is missing, where admin\.conf in .* is that of a server which had a store/,
  },
];

const LOG = [
  {
    what: 'damaged in the second write',
    harm: (file: string) => overwritten(file, (bytes) => bytes.write('X', bytes.indexOf('the value 1.'))),
    found: /ahead\.log is damaged at byte \d+, .* whole ones follow/,
  },
  {
    what: 'truncated',
    harm: (file: string) => truncateSync(file, 20_000),
    found: /ahead\.log has 20000 bytes, where it always has 1048576/,
  },
  { what: 'emptied', harm: (file: string) => truncateSync(file, 0), found: /ahead\.log has 0 bytes/ },
  { what: 'removed', harm: (file: string) => rmSync(file), found: /ahead\.log is missing/ },
];

for (const workers of [1, 2]) {
  const who = workers === 1 ? 'one process' : `${workers} workers`;

  test(`${who}: data that is not what was left is told, by its file`, async () => {
    const directory = await left(workers);
    for (const { harm, found } of DATA) {
      const copy = copyOf(directory);
      harm(inStore(copy, 'data.mdb'));
      await isRefused(copy, workers, found);
      rmSync(copy, { recursive: true });
    }
  });

  test(`${who}: so is a log that is not what was left`, async () => {
    for (const { harm, found } of LOG) {
      const copy = copyOf(path.join(folder, 'left-by-1'));
      harm(inStore(copy, 'ahead.log'));
      await isRefused(copy, workers, found);
      rmSync(copy, { recursive: true });
    }
  });

  test(`${who}: a damaged object fails what would have it, and is named in the log`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    // what is in the log is in LMDB then
    await (await start(copy, workers)).stop();
    overwritten(inStore(copy, 'data.mdb'), (bytes) => {
      for (let at = bytes.indexOf('the value 30.'); at >= 0; at = bytes.indexOf('the value 30.', at + 1)) bytes.write('X', at);
    });
    const server = await start(copy, workers);
    const client = new Client(server);
    try {
      for (let i = 0; i < 3; i++) {
        assert.is((await client.get(`${CONFIGMAPS}/written-30`)).status, 500);
        // a list of which some has left already ends with its connection
        const list = await client.get(CONFIGMAPS).then(
          ({ status }) => status,
          ({ message }) => message,
        );
        assert.ok(list === 500 || list === 'aborted', String(list));
      }
      assert.is((await client.get(`${CONFIGMAPS}/written-31`)).status, 200);
      assert.match(
        server.log(),
        /the value of key configmaps\/default\/written-30 at revision \d+ is damaged: its checksum is another one/,
      );
      assert.is((await client.get('/readyz')).status, 200);
    } finally {
      client.close();
      await server.kill();
    }
  });

  test(`${who}: a damaged object is found while nobody asks for it, and is in the log and the metrics`, async () => {
    const copy = copyOf(path.join(folder, `left-by-${workers}`));
    await (await start(copy, workers)).stop();
    overwritten(inStore(copy, 'data.mdb'), (bytes) => {
      for (let at = bytes.indexOf('the value 31.'); at >= 0; at = bytes.indexOf('the value 31.', at + 1)) bytes.write('X', at);
    });
    const server = await start(copy, workers, '--store-verification-interval=1s');
    // each connection goes to another process: one of them looks
    const metrics = async (): Promise<string> => {
      const client = new Client(server);
      const { text } = await client.get('/metrics');
      client.close();
      return text;
    };
    const until = async (figures: RegExp): Promise<void> => {
      for (const end = Date.now() + 60_000; !figures.test(await metrics()); await sleep(200))
        assert.ok(Date.now() < end, `${figures} is not to be seen: ${server.log()}`);
    };
    try {
      await until(/^apiserver_storage_verification_damages 1$/m);
      const told = server.log().match(/"key":"configmaps\/default\/written-31","revision":\d+,"found":"its checksum is another one"/g);
      assert.is(told?.length, 1, server.log());
      await until(/^apiserver_storage_verification_looked_at\{what="keys"\} \d+$/m);
    } finally {
      await server.kill();
    }
  });
}

test.run();
