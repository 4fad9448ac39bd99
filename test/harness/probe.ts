/** Somebody else who asks a server all the while, on a thread of their own: what a test does in between does not count as waiting. */
import { once } from 'node:events';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { authority } from './client.ts';
import type { TestServer } from './server.ts';

interface ProbeData {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly paths: readonly string[];
}

/** Connections, which are in turn those of each worker. */
const CONNECTIONS = 2;
/** Milliseconds between two rounds of requests. */
const PAUSE = 20;

export class Probe {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** @param paths each of which answers 200 to whom the token belongs */
  static async start(server: TestServer, token: string, paths: readonly string[]): Promise<Probe> {
    const data: ProbeData = { url: server.url, ca: authority(server), token, paths };
    const worker = new Worker(new URL(import.meta.url), { workerData: data });
    await once(worker, 'message');
    return new Probe(worker);
  }

  /** @returns the milliseconds of each wait since the last call. @throws Error for another answer than 200 */
  async waits(): Promise<readonly number[]> {
    this.#worker.postMessage('tell');
    const [told] = (await once(this.#worker, 'message')) as [number[] | string];
    if (typeof told === 'string') throw new Error(told);
    return told;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function probe({ url, ca, token, paths }: ProbeData): Promise<void> {
  let waits: number[] = [];
  let problem: string | undefined;
  const agents = Array.from({ length: CONNECTIONS }, () => new https.Agent({ keepAlive: true, maxSockets: 1, ca }));
  const ask = (agent: https.Agent, path: string): Promise<void> =>
    new Promise((resolve) => {
      const began = performance.now();
      const request = https.get(url + path, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume().on('close', () => {
          waits.push(performance.now() - began);
          if (response.statusCode !== 200) problem ??= `${path}: ${response.statusCode}`;
          resolve();
        });
      });
      request.on('error', (error) => {
        problem ??= `${path}: ${error.message}`;
        resolve();
      });
    });
  for (const agent of agents) for (const path of paths) await ask(agent, path);
  waits = [];
  parentPort?.on('message', () => {
    parentPort?.postMessage(problem ?? waits);
    waits = [];
  });
  parentPort?.postMessage('ready');
  const askAgain = async (agent: https.Agent): Promise<void> => {
    for (;;) {
      for (const path of paths) await ask(agent, path);
      await sleep(PAUSE);
    }
  };
  await Promise.all(agents.map(askAgain));
}

if (!isMainThread) await probe(workerData as ProbeData);
