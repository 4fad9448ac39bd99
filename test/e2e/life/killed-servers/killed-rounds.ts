/** Servers that are killed while clients write, while they start, and while they take over what the one before has left. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Client } from '../../../harness/client.ts';
import { programFile, projectRoot } from '../../../harness/programs.ts';
import { ServerStartError, startServer, type TestServer } from '../../../harness/server.ts';
import type { WatchEvent } from '../../../harness/watch.ts';
import { type Operation, WriteLedger } from './write-ledger.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Names that one client writes to. */
const NAMES = 12;
/** Begin the names of objects that begin rounds. */
const MARK = 'mark-';
/** Milliseconds that clients write at most, beyond the least number of writes. */
const WRITING = 1_000;
/** Milliseconds for a start: rounds may run beside others that have more of the machine. */
const PATIENCE = 600_000;
/** In which history is compacted soon after a start, and from then on all the time. */
const SHORT_WINDOWS = ['100ms', '500ms', '1s'];
/** Revisions that a store leaves out where it has dropped the end of its log; a start takes a few. */
const LEFT_OUT = 1_000;

export interface Rounds {
  /** processes of the server, of one round after the other */
  readonly workers: (round: number) => number;
  /** whether history is compacted all the time */
  readonly compacts: boolean;
  /** writes that are acknowledged before a server is killed that serves, however long they take */
  readonly least: number;
}

export interface Figures {
  rounds: number;
  acknowledged: number;
  /** watches from before a kill that had every change */
  whole: number;
  /** those that were told to begin anew */
  expired: number;
}

/** Rounds over one data directory. */
export class KilledRounds {
  readonly #directory: string;
  readonly #options: Rounds;
  readonly #figures: Figures;
  readonly #ledger = new WriteLedger();
  /** milliseconds that the last start took */
  #opening = 1_500;
  /** the end of a log was dropped: revisions go on far behind those that it may have had, and watches begin anew */
  #wasTorn = false;
  #round = 0;

  /** @param figures are added to */
  constructor(directory: string, options: Rounds, figures: Figures) {
    this.#directory = directory;
    this.#options = options;
    this.#figures = figures;
  }

  #start(spawned?: (pid: number) => void): Promise<TestServer> {
    const { workers, compacts } = this.#options;
    const window = compacts ? (shuffled(SHORT_WINDOWS)[0] as string) : '1h';
    const flags = [`--workers=${workers(this.#round)}`, `--history-window=${window}`];
    return startServer({ dialect: 'kubernetes', directory: this.#directory, flags, patience: PATIENCE, ...(spawned && { spawned }) });
  }

  /** Of three rounds, a server is killed while clients write in two, and while it starts in one. */
  async round(): Promise<void> {
    if (this.#round % 3 === 2) await this.#killStarting();
    else await this.#killServing();
    this.#round++;
    this.#figures.rounds++;
  }

  /** A server goes on from what the last round has left, ends by itself, and leaves a whole store. */
  async end(): Promise<void> {
    assert.match(await this.#checked(), /^nothing is damaged$/m);
    const server = await this.#start();
    await this.#check(server);
    assert.is(await server.stop(), 0);
    assert.match(await this.#checked(), /^nothing is damaged$/m);
  }

  async #checked(): Promise<string> {
    const args = [programFile('cluster-apiserver'), 'check', `--data-dir=${path.join(this.#directory, 'data')}`];
    const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'ignore'] });
    return text(child.stdout);
  }

  async #killStarting(): Promise<void> {
    const moment = Math.random() * this.#opening;
    let timer: NodeJS.Timeout | undefined;
    try {
      const server = await this.#start((pid) => {
        // itself first: it would end by itself where one of the others has
        timer = setTimeout(() => killEach([pid, ...childrenOf(pid)]), moment);
      });
      // it was sooner than the one before
      killAll(server.pid);
      await server.kill();
    } catch (error) {
      if (!(error instanceof ServerStartError)) throw error;
      assert.match(error.message, 'the server ended with code null', 'nobody has killed it');
    } finally {
      clearTimeout(timer);
    }
  }

  async #killServing(): Promise<void> {
    const begun = performance.now();
    const server = await this.#start();
    this.#opening = performance.now() - begun;
    const writers = new Writers(server, this.#ledger);
    try {
      await this.#check(server);
      writers.start(1 + Math.floor(Math.random() * 16));
      await writers.haveWritten(this.#options.least);
      await wait(Math.random() * WRITING);
      await killSome(server, writers);
    } finally {
      await server.kill();
      await writers.ended();
    }
    this.#figures.acknowledged += writers.acknowledged;
  }

  /** All that was acknowledged before is there, and begins a round. */
  async #check(server: TestServer): Promise<void> {
    const client = new Client(server);
    try {
      const { status, body, text: answer } = await client.get(CONFIGMAPS);
      assert.is(status, 200, answer);
      this.#ledger.checkList(body, isNotOurs);
      const mark = await client.post(CONFIGMAPS, { metadata: { name: `${MARK}${this.#round}` } });
      assert.is(mark.status, 201, mark.text);
      const revision = Number(mark.body.metadata.resourceVersion);
      const last = this.#ledger.round;
      this.#wasTorn ||= last >= 0 && revision - this.#ledger.newest >= LEFT_OUT;
      // from the last round, and from any before it
      if (last >= 0) await this.#checkWatch(client, last, revision);
      if (last > 0) await this.#checkWatch(client, Math.floor(Math.random() * last), revision);
      this.#ledger.beginRound(revision);
    } finally {
      client.close();
    }
  }

  async #checkWatch(client: Client, round: number, until: number): Promise<void> {
    const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${this.#ledger.beginning(round)}`);
    const events: WatchEvent[] = [];
    do events.push(await watch.next(60_000));
    while (events.at(-1)?.type !== 'ERROR' && Number(events.at(-1)?.object.metadata.resourceVersion) < until);
    watch.close();
    const { type, object } = events.at(-1) as WatchEvent;
    if (type !== 'ERROR') {
      this.#ledger.checkEvents(round, events, isNotOurs);
      this.#figures.whole++;
      return;
    }
    assert.is(object.code, 410, JSON.stringify(object));
    assert.ok(this.#options.compacts || this.#wasTorn, 'a watch is to begin anew, though nothing was compacted');
    this.#figures.expired++;
  }
}

/** The server makes objects of its own. */
const isNotOurs = (name: string): boolean => !name.startsWith('w-');

/** Kills a server that serves: all of it at once, or what goes on when its first process dies; sometimes one of its workers before that. */
async function killSome(server: TestServer, writers: Writers): Promise<void> {
  const [worker] = shuffled(childrenOf(server.pid));
  const chance = Math.random();
  if (worker !== undefined && chance < 0.3) {
    process.kill(worker, 'SIGKILL');
    // those of the other one go on; one alone may have been of this one
    if (writers.count > 3) await writers.haveWritten(writers.acknowledged + 20);
  }
  if (chance > 0.7) process.kill(server.pid, 'SIGKILL');
  else killAll(server.pid);
}

/** Kills a process and those that it has started, in any order. */
const killAll = (pid: number): void => killEach(shuffled([pid, ...childrenOf(pid)]));

/** One that has ended is none. */
function killEach(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** What a connection ends with whose server is killed. */
const BROKEN: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/** Clients that write until their connections break. */
class Writers {
  acknowledged = 0;
  /** how many have begun */
  count = 0;
  readonly #server: TestServer;
  readonly #ledger: WriteLedger;
  readonly #running: Promise<void>[] = [];
  #working = 0;
  #failure: unknown;

  constructor(server: TestServer, ledger: WriteLedger) {
    this.#server = server;
    this.#ledger = ledger;
  }

  start(count: number): void {
    this.count = this.#working = count;
    for (let i = 0; i < count; i++) this.#running.push(this.#run(i));
  }

  /** Resolves when so many writes are acknowledged. @throws what ended all of them before that */
  async haveWritten(count: number): Promise<void> {
    while (this.acknowledged < count) {
      if (this.#failure !== undefined) throw this.#failure;
      assert.ok(this.#working > 0, `nobody writes any more, after ${this.acknowledged} of ${count} writes`);
      await wait(5);
    }
  }

  /** Resolves when nothing is under way. @throws what was wrong with an answer */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #run(index: number): Promise<void> {
    const client = new Client(this.#server);
    try {
      for (;;) {
        const name = `w-${index}-${Math.floor(Math.random() * NAMES)}`;
        await this.#write(client, name);
        this.acknowledged++;
      }
    } catch (error) {
      if (!BROKEN.has((error as NodeJS.ErrnoException).code)) this.#failure ??= error;
    } finally {
      this.#working--;
      client.close();
    }
  }

  async #write(client: Client, name: string): Promise<void> {
    const before = this.#ledger.latest(name);
    const isThere = before !== undefined && before.operation !== 'delete';
    const operation: Operation = isThere ? (Math.random() < 0.3 ? 'delete' : 'update') : 'create';
    const number = Math.floor(Math.random() * 2 ** 31);
    const write = this.#ledger.begin(operation, name, String(number));
    const body = { metadata: { name }, data: { seed: write.seed, padding: 'x'.repeat(number % 6_000) } };
    if (operation === 'delete') {
      const { status, text: answer } = await client.delete(`${CONFIGMAPS}/${name}`);
      assert.is(status, 200, answer);
      return this.#ledger.acknowledge(write, undefined);
    }
    const send = operation === 'create' ? client.post(CONFIGMAPS, body) : update(client, `${CONFIGMAPS}/${name}`, body, number);
    const { status, body: object, text: answer } = await send;
    assert.is(status, operation === 'create' ? 201 : 200, answer);
    assert.is(object.data.seed, write.seed);
    this.#ledger.acknowledge(write, Number(object.metadata.resourceVersion));
  }
}

const update = (client: Client, at: string, body: object, number: number) =>
  number % 2 === 0 ? client.put(at, body) : client.patch(at, body);
