/** A server behind a balancer that ends and starts again, while clients go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { authority } from '../../../harness/client.ts';
import { freePort } from '../../../harness/free-ports.ts';
import { startServer, type TestServer } from '../../../harness/server.ts';
import { Balancer } from './balancer.ts';
import { type Figures, SteadyClients } from './steady-clients.ts';

export interface Restarts {
  readonly clients: number;
  /** processes of the server */
  readonly workers: number;
  /** whether new requests are told to try again while those under way end */
  readonly sendsRetryAfter: boolean;
  /** requests that are answered between a start and the next end, however long they take */
  readonly least: number;
}

/** Milliseconds for a start, and for an end. */
const PATIENCE = 120_000;
/** As the flag has it; long against the looks of the balancer, and against the pauses of clients. */
const DELAY = '1s';

export class RestartedRounds {
  readonly #options: Restarts;
  readonly #directory: string;
  readonly #balancer: Balancer;
  readonly #clients: SteadyClients;
  readonly #figures: Figures;
  #server: TestServer;

  private constructor(options: Restarts, directory: string, server: TestServer, balancer: Balancer, figures: Figures) {
    const target = { port: balancer.port, authority: authority(server), token: server.tokens.admin };
    this.#clients = new SteadyClients(target, options.clients, figures);
    this.#figures = figures;
    this.#options = options;
    this.#directory = directory;
    this.#server = server;
    this.#balancer = balancer;
  }

  /** @param figures are added to */
  static async start(directory: string, options: Restarts, figures: Figures): Promise<RestartedRounds> {
    const server = await startRound(options, directory, await freePort());
    const balancer = await Balancer.start(server.port);
    return new RestartedRounds(options, directory, server, balancer, figures);
  }

  /** The server is asked to end, ends by itself, and starts again on the same port. */
  async round(): Promise<void> {
    for (const enough = this.#figures.answered + this.#options.least; this.#figures.answered < enough; ) await sleep(20);
    const { port, pid } = this.#server;
    process.kill(pid, 'SIGTERM');
    for (const until = Date.now() + PATIENCE; this.#server.running() && Date.now() < until; ) await sleep(20);
    assert.not.ok(this.#server.running(), 'the server does not end');
    assert.is(await this.#server.stop(), 0);
    assert.equal(this.#server.faults(), []);
    this.#server = await startRound(this.#options, this.#directory, port);
  }

  async end(): Promise<void> {
    await this.#clients.end();
    await this.#balancer.close();
    assert.is(await this.#server.stop(), 0);
  }

  /** After a failure. */
  async abandon(): Promise<void> {
    await this.#balancer.close();
    await this.#server.kill();
  }
}

function startRound({ workers, sendsRetryAfter }: Restarts, directory: string, port: number): Promise<TestServer> {
  const flags = [
    `--workers=${workers}`,
    `--shutdown-delay-duration=${DELAY}`,
    `--shutdown-send-retry-after=${sendsRetryAfter}`,
    '--history-window=1h',
  ];
  return startServer({ dialect: 'kubernetes', directory, port, flags, patience: PATIENCE });
}
