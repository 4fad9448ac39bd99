/** Connections of one user that list and create without pause, on a thread of their own: whoever measures others beside them does not wait for them. */
import https from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

export interface CrowdOrder {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  /** milliseconds */
  readonly lasts: number;
  /** of a collection */
  readonly path: string;
}

export interface CrowdReport {
  /** milliseconds of those that were answered */
  readonly answered: readonly number[];
  readonly refused: number;
  /** statuses of other answers, and errors */
  readonly others: readonly string[];
}

const { url, token, connections, lasts, path } = workerData as CrowdOrder;
const agent = new https.Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
const answered: number[] = [];
const others: string[] = [];
let refused = 0;
let made = 0;

function ask(body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = https.request(url + path, { method: body === undefined ? 'GET' : 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode as number));
    });
    request.on('error', reject).end(body && JSON.stringify(body));
  });
}

async function insist(lists: boolean, until: number): Promise<void> {
  while (performance.now() < until) {
    const begun = performance.now();
    try {
      const status = await ask(lists ? undefined : { metadata: { name: `crowd-${made++}` }, data: { a: 'x'.repeat(500) } });
      if (status === 429) refused++;
      else if (status < 300) answered.push(performance.now() - begun);
      else others.push(String(status));
    } catch (error) {
      others.push(String(error));
    }
  }
}

const until = performance.now() + lasts;
await Promise.all(Array.from({ length: connections }, (_, index) => insist(index % 2 === 0, until)));
agent.destroy();
parentPort?.postMessage({ answered, refused, others } satisfies CrowdReport);
