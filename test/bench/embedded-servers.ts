/** Servers inside of this process, for the bench: node --expose-gc embedded-servers.ts COUNT, forked. Sends what they took. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';

/** What making each of some servers took. */
export interface Made {
  /** of each */
  readonly milliseconds: readonly number[];
  /** processor time of the process for each, threads of the garbage collector included */
  readonly processorUs: number;
  /** resident memory that each holds at rest */
  readonly bytes: number;
}

export interface EmbeddedFigures {
  readonly started: Made;
  readonly forked: Made;
  /** of each */
  readonly stopMilliseconds: number;
}

const FORKS = 100;
const STORED = 100;
/** Turns in which controllers of a new server come to rest. */
const TURNS = 200;

async function make(count: number, start: () => Promise<EmbeddedServer>): Promise<[EmbeddedServer[], Made]> {
  const servers: EmbeddedServer[] = [];
  const milliseconds: number[] = [];
  const before = await heldBytes();
  const processor = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    servers.push(await start());
    milliseconds.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(processor);
  return [servers, { milliseconds, processorUs: (user + system) / count, bytes: ((await heldBytes()) - before) / count }];
}

async function heldBytes(): Promise<number> {
  for (let i = 0; i < TURNS; i++) await nextTurn();
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().rss;
}

async function measure(count: number): Promise<EmbeddedFigures> {
  // loads what all servers share
  for (let i = 0; i < 3; i++) await (await startServer()).stop();
  const [servers, started] = await make(count, () => startServer());
  const [origin] = servers as [EmbeddedServer];
  for (let i = 0; i < STORED; i++)
    await origin.client.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `map-${i}` } });
  const [forks, forked] = await make(FORKS, () => origin.fork());
  const began = performance.now();
  await Promise.all([...servers, ...forks].map((server) => server.stop()));
  return { started, forked, stopMilliseconds: (performance.now() - began) / (count + FORKS) };
}

process.send?.(await measure(Number(process.argv[2])));
process.disconnect?.();
