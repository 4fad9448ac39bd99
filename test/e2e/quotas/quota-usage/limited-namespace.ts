/** A namespace with two quotas, on a server that is killed while many write, and started again over the same folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Client } from '../../../harness/client.ts';
import { startServer, type TestServer } from '../../../harness/server.ts';
import { type Moment, moments, numberOf } from './history.ts';
import { KINDS, NAMES, NAMESPACE, type Step, take } from './writers.ts';

const QUOTAS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  q: { 'count/configmaps': '4', pods: '4', 'requests.cpu': '900m', services: '4', 'services.nodeports': '6' },
  r: { 'count/pods': '5', 'count/services': '3' },
};
const HARD: Readonly<Record<string, string>> = { ...QUOTAS.q, ...QUOTAS.r };

const REFUSAL = /exceeded quota: [qr], requested: /;

/** More than a quota allows of any kind, with names that no step has. */
const BEYOND_EACH_LIMIT = Array.from({ length: 6 }, (_, index) => NAMES + index);

/** Milliseconds within which a quota says what there is, once nobody writes; far more than that takes. */
const PATIENCE = 20_000;

export interface Act {
  /** what is sent, by so many writers at once */
  readonly steps: readonly Step[];
  readonly writers: number;
  /** steps that are answered before the server is killed; beyond the last one: it is not */
  readonly killedAfter: number;
}

export class LimitedNamespace {
  readonly #directory: string;
  readonly #workers: number;
  #server: TestServer;
  #client: Client;
  /** a revision before the namespace had anything */
  #since = '0';

  private constructor(directory: string, workers: number, server: TestServer) {
    this.#directory = directory;
    this.#workers = workers;
    this.#server = server;
    this.#client = new Client(server);
  }

  static async create(workers: number): Promise<LimitedNamespace> {
    const directory = await mkdtemp(path.join(tmpdir(), 'quota-usage-'));
    const limited = new LimitedNamespace(directory, workers, await start(directory, workers));
    await limited.#prepare();
    return limited;
  }

  async #prepare(): Promise<void> {
    const made = await this.#client.post('/api/v1/namespaces', { metadata: { name: NAMESPACE.split('/').at(-1) } });
    this.#since = made.body.metadata.resourceVersion;
    await this.#client.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
    // the config map that every namespace gets is one of those that count
    await until(async () => (await this.#client.get(`${NAMESPACE}/configmaps`)).body.items.length === 1, 'there is no config map');
    for (const [name, hard] of Object.entries(QUOTAS)) {
      await this.#client.post(`${NAMESPACE}/resourcequotas`, { metadata: { name }, spec: { hard } });
      const says = async () => (await this.#client.get(`${NAMESPACE}/resourcequotas/${name}`)).body.status.used !== undefined;
      await until(says, 'the quota says nothing');
    }
  }

  async perform({ steps, writers, killedAfter }: Act): Promise<void> {
    let answered = 0;
    let killing: Promise<void> | undefined;
    const queue = [...steps];
    const write = async (): Promise<void> => {
      for (let each = queue.shift(); each !== undefined && killing === undefined; each = queue.shift()) {
        const answer = await take(this.#client, each);
        if (answer?.status === 403) assert.match(answer.body.message, REFUSAL);
        assert.ok(answer === undefined || answer.status < 500, answer?.text);
        if (++answered === killedAfter) killing = this.#server.kill();
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    if (killing === undefined) return;
    await killing;
    this.#client.close();
    this.#server = await start(this.#directory, this.#workers);
    this.#client = new Client(this.#server);
  }

  /** Creates more of each kind at once than a quota allows, whatever there is: some of each must be refused, and nothing but for the quota. */
  async requireRefusals(): Promise<void> {
    for (const what of KINDS) {
      const answers = await Promise.all(BEYOND_EACH_LIMIT.map((name) => take(this.#client, { what, how: 'create', name, amount: 1 })));
      const statuses = answers.map((answer) => answer?.status);
      assert.ok(statuses.includes(403), `${what}: ${statuses}`);
      for (const answer of answers) if (answer?.status !== 201) assert.match(answer?.body.message, REFUSAL);
    }
  }

  /** Waits until nobody writes any more, and gives what was stored from the beginning on. */
  async quiet(): Promise<Moment[]> {
    let all: Moment[] = [];
    const isTrue = async (): Promise<boolean> => {
      const now = await this.#client.get(`${NAMESPACE}/resourcequotas`);
      const found = await moments(this.#client, this.#since, Number(now.body.metadata.resourceVersion));
      if (found === undefined) return false;
      all = found;
      const last = all.at(-1);
      return last?.used !== undefined && Object.keys(HARD).every((name) => (last.actual[name] ?? 0) === last.used?.[name]);
    };
    await until(isTrue, 'the quota does not say what there is', () => JSON.stringify(all.at(-1)));
    return all;
  }

  async end(): Promise<void> {
    this.#client.close();
    await this.#server.stop();
    assert.equal(this.#server.faults(), []);
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function start(directory: string, workers: number): Promise<TestServer> {
  return startServer({ dialect: 'kubernetes', directory, flags: [`--workers=${workers}`, '--disable-admission-plugins=ServiceAccount'] });
}

async function until(holds: () => Promise<boolean>, problem: string, detail: () => string = () => ''): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${problem} after ${PATIENCE} ms: ${detail()}`);
    await sleep(50);
  }
}

/** What must hold at each revision: there is never more than a quota allows, and never more than it says. */
export function requireWithin(all: readonly Moment[]): void {
  for (const { revision, actual, used } of all)
    for (const [name, limit] of Object.entries(HARD)) {
      const amount = actual[name] ?? 0;
      assert.ok(amount <= numberOf(limit), `${amount} of ${name} at ${revision}`);
      if (used !== undefined) {
        assert.ok(amount <= (used[name] as number), `${amount} of ${name} at ${revision}, and the quota says ${used[name]}`);
        assert.ok((used[name] as number) <= numberOf(limit), `the quota says ${used[name]} of ${name} at ${revision}`);
      }
    }
}
