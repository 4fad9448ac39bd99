/** A server whose disk is full, with its log on the same one: it answers, refuses writes by a Status, names the file, and goes on when there is room. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { programFile, projectRoot } from '../../harness/programs.ts';
import { type TestServer, tokens } from '../../harness/server.ts';
import { limitedDisk, ownDisk, type SmallDisk } from '../../harness/small-disk.ts';

const test = suite('a full disk');

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Milliseconds; far above what it takes, for machines under load. */
const PATIENCE = 30_000;

/** Characters of the log's end that tell why a test has failed. */
const LOG_END = 20_000;

/** A server on a disk, whose log is a file there. */
class DiskServer {
  readonly client: Client;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  private constructor(child: ChildProcess, ended: Promise<number | null>, url: string, disk: SmallDisk) {
    this.#child = child;
    this.#ended = ended;
    const kubeconfig = path.join(disk.directory, 'data', 'admin.conf');
    this.client = new Client({ url, kubeconfig, tokens, dialect: 'kubernetes' } as TestServer);
  }

  static async start(disk: SmallDisk, workers: number): Promise<DiskServer> {
    const { directory } = disk;
    const log = openSync(path.join(directory, 'log'), 'a');
    const program = [programFile('cluster-apiserver'), '--dialect=kubernetes', '--secure-port=0', `--data-dir=${directory}/data`];
    const [command, ...args] = [
      ...disk.starter,
      process.execPath,
      ...program,
      `--token-auth-file=${directory}/tokens.csv`,
      `--workers=${workers}`,
    ];
    const child = spawn(command as string, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', log] });
    closeSync(log);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
    for (const end = Date.now() + PATIENCE; ; await Promise.race([sleep(20), ended])) {
      const url = /is ready at (https:\S+)\nclient configuration: /.exec(said)?.[1];
      if (url !== undefined) return new DiskServer(child, ended, url, disk);
      if (child.exitCode !== null || Date.now() > end) {
        child.kill('SIGKILL');
        throw new Error(`the server did not start: ${said}\n${readFileSync(path.join(directory, 'log'), 'utf8')}`);
      }
    }
  }

  /** Of all processes. */
  get pids(): number[] {
    const own = this.#child.pid as number;
    const workers = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').split(' ').filter(Boolean);
    return [own, ...workers.map(Number)];
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.client.close();
    // the supervisor's end ends its workers
    this.#child.kill(signal);
    return this.#ended;
  }
}

/** Writes until the disk takes no more, and some more. @returns the names that were acknowledged */
async function writeOn({ client }: DiskServer, prefix: string): Promise<string[]> {
  const acknowledged: string[] = [];
  let refused = 0;
  for (let i = 0; refused < 8; i++) {
    assert.ok(i < 400, 'the disk is not full');
    const name = `${prefix}-${i}`;
    const { status, body } = await client.post(CONFIGMAPS, {
      metadata: { name, labels: { of: prefix } },
      data: { text: 'x'.repeat(5_000) },
    });
    if (status === 201) {
      acknowledged.push(name);
      continue;
    }
    refused++;
    assert.equal([status, body.kind, body.reason], [503, 'Status', 'ServiceUnavailable']);
    assert.is(body.message, 'the store is full: nothing can be written until space is freed');
  }
  return acknowledged;
}

/** By every way to read. */
async function assertReadable({ client }: DiskServer, names: readonly string[]): Promise<void> {
  const [first = 'before-0'] = names;
  assert.is((await client.get(`${CONFIGMAPS}/${first}`)).status, 200);
  const list = await client.get(CONFIGMAPS);
  assert.is(list.status, 200, list.text.slice(0, 300));
  const found = new Set((list.body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name));
  assert.equal(
    names.filter((name) => !found.has(name)),
    [],
  );
  for (const query of ['?labelSelector=of', '?limit=2', '?resourceVersion=0', '?fieldSelector=metadata.name=before-0'])
    assert.is((await client.get(`${CONFIGMAPS}${query}`)).status, 200, query);
  for (const accept of ['application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1;g=meta.k8s.io'])
    assert.is((await client.get(CONFIGMAPS, { accept })).status, 200, accept);
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&allowWatchBookmarks=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
  assert.is((await watch.next()).type, 'ADDED');
  watch.close();
  for (const endpoint of ['/readyz', '/livez', '/version', '/api/v1/namespaces', '/metrics'])
    assert.is((await client.get(endpoint)).status, 200, endpoint);
}

/** Nobody asks for that: it takes writes again when there is room. */
async function comesBack({ client }: DiskServer, name: string): Promise<string> {
  for (const end = Date.now() + PATIENCE; ; await sleep(100)) {
    const { status, text } = await client.post(CONFIGMAPS, { metadata: { name } });
    if (status === 201) return name;
    assert.is(status, 503, text);
    assert.ok(Date.now() < end, 'it does not come back');
  }
}

async function logOf(disk: SmallDisk, line: RegExp): Promise<void> {
  const log = path.join(disk.directory, 'log');
  for (const end = Date.now() + PATIENCE; !line.test(readFileSync(log, 'utf8')); await sleep(100))
    assert.ok(Date.now() < end, `${line} is not in ${readFileSync(log, 'utf8')}`);
}

const NAMED =
  /\] "the store cannot be written; it can be read, and is tried again" reason="[^"]*\/data\.mdb cannot be written: no room is left on its disk \((?:ENOSPC|EFBIG)\)"/;

const DISKS = { 'a disk of its own': ownDisk, 'files that cannot grow': () => limitedDisk('data/store/data.mdb') };
let made = 0;

for (const [what, make] of Object.entries(DISKS))
  for (const workers of [1, 2]) {
    const disk = make();
    if (disk === undefined) continue;
    made++;
    test(`${what}, ${workers === 1 ? 'one process' : `${workers} workers`}`, async () => {
      let server: DiskServer | undefined;
      try {
        writeFileSync(path.join(disk.directory, 'tokens.csv'), 'admin-token,admin,admin-uid,"system:masters"\n');
        server = await DiskServer.start(disk, workers);
        const names = [await comesBack(server, 'before-0')];
        disk.fill(server.pids);
        names.push(...(await writeOn(server, 'first')));
        await assertReadable(server, names);
        disk.makeRoom(server.pids);
        names.push(await comesBack(server, 'between'));
        await logOf(disk, NAMED);
        await logOf(disk, /the store can be written again/);

        disk.fill(server.pids);
        names.push(...(await writeOn(server, 'second')));
        await server.end('SIGKILL');
        server = await DiskServer.start(disk, workers);
        await assertReadable(server, names);
        names.push(...(await writeOn(server, 'third')));
        await assertReadable(server, names);
        disk.makeRoom(server.pids);
        names.push(await comesBack(server, 'after'));
        await assertReadable(server, names);
        assert.is(await server.end('SIGTERM'), 0);
        server = await DiskServer.start(disk, workers);
        await assertReadable(server, names);
        const log = readFileSync(path.join(disk.directory, 'log'), 'utf8').split('\n');
        // LMDB writes lines of its own, such as `mdb_page_spill error 27`
        assert.equal(
          log.filter((line) => /uncaught|unhandled|MDB_[A-Z]/.test(line)),
          [],
        );
      } catch (error) {
        // the file goes with the disk
        console.error(readFileSync(path.join(disk.directory, 'log'), 'utf8').slice(-LOG_END));
        throw error;
      } finally {
        await server?.end('SIGKILL');
        disk.remove();
      }
    });
  }

if (made === 0) test('cannot be had here', () => assert.ok(readdirSync(projectRoot).length > 0));

test.run();
