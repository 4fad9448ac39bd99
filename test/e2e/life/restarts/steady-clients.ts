/** Clients that read, write and watch without a pause worth the name, each knowing what the server has to have of its own objects. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Json } from '../../../harness/client.ts';
import { type Exchange, Http1, Http2, type Received, type Retries, type Sent, sendWell, type Target } from './sender.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Config maps of one client. */
const NAMES = 5;
/** Milliseconds between two requests of one client. */
const PAUSE = 30;

export interface Figures extends Retries {
  answered: number;
  /** events that watches told of */
  events: number;
  watches: number;
  readonly failures: string[];
}

export const noFigures = (): Figures => ({ answered: 0, events: 0, watches: 0, told: 0, undone: 0, reads: 0, lasts: 0, failures: [] });

/** Changes to the objects of one client, in their order. */
interface ChangeLog {
  /** as its watch tells them */
  readonly seen: string[];
  readonly written: string[];
  /** nothing more will be written */
  isWhole: boolean;
}

export class SteadyClients {
  readonly #figures: Figures;
  readonly #running: Promise<void>[];
  readonly #exchanges: Exchange[] = [];
  #isEnding = false;

  /**
   * @param count of clients; every other one speaks HTTP/2
   * @param figures are added to
   */
  constructor(target: Target, count: number, figures: Figures) {
    this.#figures = figures;
    this.#running = Array.from({ length: count }, (_, index) => this.#run(index, target));
  }

  /** Resolves when every request is answered, and every watch has had all that was written. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#running);
    for (const exchange of this.#exchanges) exchange.close();
  }

  #exchange(index: number, target: Target): Exchange {
    const exchange = index % 2 === 0 ? new Http1(target) : new Http2(target);
    this.#exchanges.push(exchange);
    return exchange;
  }

  async #run(index: number, target: Target): Promise<void> {
    const exchange = this.#exchange(index, target);
    const held = new Map<string, string>();
    const log: ChangeLog = { seen: [], written: [], isWhole: false };
    const prefix = `c${index}-`;
    const ask = (sent: Sent): Promise<{ status: number; body: Json }> => this.#ask(exchange, sent);
    // a client of its own sees all that it writes
    const { body: list } = await ask({ method: 'GET', path: CONFIGMAPS });
    const watching = this.#watch(this.#exchange(index, target), prefix, list.metadata.resourceVersion, log);
    for (let step = 0; !this.#isEnding; step++) {
      const name = `${prefix}${step % NAMES}`;
      try {
        await this.#step(ask, name, String(step), held, log.written);
      } catch (error) {
        this.#fail(error);
      }
      this.#figures.answered++;
      await sleep(PAUSE);
    }
    log.isWhole = true;
    await watching;
    const differs = log.written.findIndex((change, at) => log.seen[at] !== change);
    if (differs >= 0 || log.seen.length !== log.written.length)
      this.#fail(
        new Error(
          `a watch has ${log.seen.slice(differs, differs + 3)} where its client has written ${log.written.slice(differs, differs + 3)}`,
        ),
      );
  }

  /** A write or a read of one object, whose state is known. */
  async #step(
    ask: (sent: Sent) => Promise<{ status: number; body: Json }>,
    name: string,
    seed: string,
    held: Map<string, string>,
    written: string[],
  ): Promise<void> {
    const path = `${CONFIGMAPS}/${name}`;
    const before = held.get(name);
    const chance = Math.random();
    if (chance < 0.4) {
      const { status, body } = await ask({ method: 'GET', path });
      return assert.equal([status, body.data?.seed], before === undefined ? [404, undefined] : [200, before], `GET ${path}`);
    }
    const body = { metadata: { name }, data: { seed } };
    if (before === undefined) {
      assert.is((await ask({ method: 'POST', path: CONFIGMAPS, body })).status, 201, `POST ${name}`);
      written.push(`ADDED ${name} ${seed}`);
      held.set(name, seed);
    } else if (chance < 0.6) {
      assert.is((await ask({ method: 'DELETE', path })).status, 200, `DELETE ${path}`);
      written.push(`DELETED ${name} ${before}`);
      held.delete(name);
    } else {
      assert.is((await ask({ method: chance < 0.8 ? 'PUT' : 'PATCH', path, body })).status, 200, `change of ${path}`);
      written.push(`MODIFIED ${name} ${seed}`);
      held.set(name, seed);
    }
  }

  async #ask(exchange: Exchange, sent: Sent): Promise<{ status: number; body: Json }> {
    // a read may break while its answer comes
    for (;;) {
      const received = await sendWell(exchange, sent, this.#figures);
      try {
        return { status: received.status, body: JSON.parse(await textOf(received)) };
      } catch (error) {
        if (sent.method !== 'GET') throw new Error(`${sent.method} ${sent.path}: the answer broke off: ${(error as Error).message}`);
        this.#figures.reads++;
      }
    }
  }

  /** Watches from where the last watch was, until all that was written has been told. */
  async #watch(exchange: Exchange, prefix: string, since: string, log: ChangeLog): Promise<void> {
    let revision = since;
    const isOver = () => log.isWhole && log.seen.length >= log.written.length;
    while (!isOver()) {
      try {
        const path = `${CONFIGMAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=${revision}`;
        const received = await sendWell(exchange, { method: 'GET', path }, this.#figures);
        assert.is(received.status, 200, 'a watch');
        this.#figures.watches++;
        for await (const { type, object } of eventsOf(received)) {
          assert.is.not(type, 'ERROR', JSON.stringify(object));
          revision = object.metadata.resourceVersion;
          if (type === 'BOOKMARK' || !object.metadata.name.startsWith(prefix)) continue;
          this.#figures.events++;
          log.seen.push(`${type} ${object.metadata.name} ${object.data.seed}`);
          if (isOver()) return;
        }
      } catch (error) {
        this.#fail(error);
        await sleep(PAUSE);
      }
    }
  }

  #fail(error: unknown): void {
    this.#figures.failures.push(error instanceof Error ? error.message : String(error));
  }
}

async function textOf({ body }: Received): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

/** Events that have come whole; an end of the connection is the end of the watch. */
async function* eventsOf({ body }: Received): AsyncGenerator<{ type: string; object: Json }> {
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
  }
}
