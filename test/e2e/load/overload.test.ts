/**
 * 2,000 connections of one user that list and create without pause, in a process of their own: others are answered as if they were not there, nearly, and
 * nothing of the crowd stays. How long answers take depends on the machine, and on what else it does: all is held against what was measured without the
 * crowd, in the same run. What the machine takes for itself is told too: a bare listener, whom the crowd does not know, is asked at the same time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { processTree, residentMemory } from '../../harness/process-usage.ts';
import { NODE_FLAGS, startServer, type TestServer } from '../../harness/server.ts';
import type { CrowdOrder, CrowdReport } from './crowd-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'overload-'));
const TOKENS = path.join(folder, 'tokens.csv');
writeFileSync(TOKENS, 'admin-token,admin,1,"system:masters"\nalice-token,alice,2\nbob-token,bob,3\n');
const MAPS = '/api/v1/namespaces/default/configmaps';
const COUNT = 300;

const CONNECTIONS = 2_000;
/** Milliseconds for which others are asked beside the crowd, and without it. */
const LASTS = 5_000;
const QUIET = 3_000;
/** Gets of each at least. */
const LEAST = 150;
/** Milliseconds between two gets. */
const PAUSE = 10;
/** Of a config map as it is answered, about. */
const ANSWER_BYTES = 900;
/** How much longer half of the crowd's answered requests take than 99 of 100 gets of others at the same time, on whatever machine. */
const SHORTER = 3;
/** Bytes that a connection may leave behind, with what the heap keeps of its requests for the next ones. */
const LEFT = 200_000;

const test = suite('overload');

const part = (numbers: readonly number[], of: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * of))] as number;

/** Asks one after the other. @returns milliseconds of each. @throws Error for another answer than 200 */
async function timed(ask: () => Promise<{ readonly status: number; readonly text: string }>, lasts: number, least = LEAST) {
  const took: number[] = [];
  for (const until = performance.now() + lasts; performance.now() < until || took.length < least; ) {
    const begun = performance.now();
    const { status, text } = await ask();
    took.push(performance.now() - begun);
    assert.is(status, 200, text);
    await sleep(PAUSE);
  }
  return took;
}

const gets = (client: Client, name: string, lasts: number, least?: number): Promise<readonly number[]> =>
  timed(() => client.get(`${MAPS}/${name}`), lasts, least);

/** Node's listener with nothing behind it, in a process of its own. */
class BareListener {
  readonly #process: ChildProcess;
  readonly #agent: https.Agent;
  readonly #port: number;

  private constructor(listener: ChildProcess, port: number, ca: Buffer) {
    this.#process = listener;
    this.#port = port;
    this.#agent = new https.Agent({ keepAlive: true, ca });
  }

  static async start(): Promise<BareListener> {
    const own = path.join(folder, 'bare');
    mkdirSync(own, { recursive: true });
    const listener = fork(new URL('../../bench/bare-server.ts', import.meta.url), [own]);
    const [port] = (await once(listener, 'message')) as [number];
    return new BareListener(listener, port, readFileSync(path.join(own, 'ca.crt')));
  }

  gets(lasts: number): Promise<readonly number[]> {
    return timed(async () => {
      const request = https.get(`https://127.0.0.1:${this.#port}/${ANSWER_BYTES}`, { agent: this.#agent });
      const [response] = await once(request, 'response');
      return { status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() };
    }, lasts);
  }

  close(): void {
    this.#agent.destroy();
    this.#process.kill();
  }
}

/** Of a process and those that it has started. */
function openSockets(pid: number): number {
  const linksOf = (each: number): string[] => {
    const descriptors = `/proc/${each}/fd`;
    return readdirSync(descriptors).map((name) => {
      try {
        return readlinkSync(`${descriptors}/${name}`);
      } catch {
        // closed since
        return '';
      }
    });
  };
  return processTree(pid)
    .flatMap(linksOf)
    .filter((link) => link.startsWith('socket:')).length;
}

async function reply<T>(crowd: ChildProcess, message: CrowdOrder | string): Promise<T> {
  crowd.send(message);
  const [answer] = await once(crowd, 'message');
  return answer;
}

async function beside(
  server: TestServer,
  admin: Client,
  bob: Client,
  bare: BareListener,
): Promise<CrowdReport & Readonly<Record<'ofBob' | 'ofAdmin' | 'ofBare', readonly number[]>>> {
  const crowd = fork(new URL('./crowd-process.ts', import.meta.url));
  try {
    await reply(crowd, { port: server.port, token: 'alice-token', connections: CONNECTIONS, path: MAPS });
    // the first requests of the whole crowd come at the same moment
    await Promise.all([gets(bob, 'map-1', 0, 2), gets(admin, 'map-2', 0, 2)]);
    const asked = [gets(bob, 'map-1', LASTS), gets(admin, 'map-2', LASTS), bare.gets(LASTS)] as const;
    const [ofBob, ofAdmin, ofBare] = await Promise.all(asked);
    return { ...(await reply<CrowdReport>(crowd, 'over')), ofBob, ofAdmin, ofBare };
  } finally {
    crowd.kill();
  }
}

for (const workers of [1, 2])
  test(`${workers} process(es): ${CONNECTIONS} connections of one user leave others alone, and nothing behind`, async () => {
    const flags = [`--token-auth-file=${TOKENS}`, '--authorization-mode=AlwaysAllow', '--controllers=-*', `--workers=${workers}`];
    const server = await startServer({ dialect: 'cluster', flags, nodeFlags: NODE_FLAGS });
    const [admin, bob] = [new Client(server), new Client(server, 'bob-token')];
    const bare = await BareListener.start();
    try {
      const data = { a: 'x'.repeat(500) };
      await Promise.all(Array.from({ length: COUNT }, (_, i) => admin.post(MAPS, { metadata: { name: `map-${i}` }, data })));
      const quiet = part((await Promise.all([gets(bob, 'map-1', QUIET), gets(admin, 'map-2', QUIET)])).flat(), 0.99);
      const [memory, sockets] = [residentMemory(server.pid), openSockets(server.pid)];
      const { answered, refused, others, ofBob, ofAdmin, ofBare } = await beside(server, admin, bob, bare);
      const [of50, of99, admin99, alice50] = [part(ofBob, 0.5), part(ofBob, 0.99), part(ofAdmin, 0.99), part(answered, 0.5)];
      const ms = (number: number): string => `${number.toFixed(1)} ms`;
      console.log(
        `      ${workers}: quiet ${ms(quiet)}; bob ${ms(of50)}, 99 of 100 within ${ms(of99)}; admin ${ms(admin99)}; alice ${ms(alice50)} (${answered.length}, ${refused} refused); bare ${ms(part(ofBare, 0.99))}`,
      );
      assert.equal([...new Set(others)], []);
      assert.ok(answered.length > 0 && refused > 0, `${answered.length} answered, ${refused} refused`);
      assert.ok(alice50 > SHORTER * of99, `alice waits for ${ms(alice50)}, bob ${ms(of99)}`);
      assert.ok(alice50 > SHORTER * admin99, `alice waits for ${ms(alice50)}, the administrator ${ms(admin99)}`);
      for (const until = Date.now() + 20_000; openSockets(server.pid) > sockets + 10 && Date.now() < until; ) await sleep(100);
      assert.ok(openSockets(server.pid) <= sockets + 10, `${openSockets(server.pid)} sockets, ${sockets} before`);
      const dump = (await admin.get('/debug/api_priority_and_fairness/dump_requests')).text;
      assert.not.match(dump, /alice/);
      assert.not.match(dump, /\nglobal-default/);
      const grown = residentMemory(server.pid) - memory;
      assert.ok(grown < workers * 100e6 + CONNECTIONS * LEFT, `resident memory grew by ${Math.round(grown / 1e6)} MB`);
      assert.equal(server.faults(), []);
    } finally {
      for (const each of [admin, bob, bare]) each.close();
      await server.stop();
    }
  });

test.after(() => rmSync(folder, { recursive: true }));
test.run();
