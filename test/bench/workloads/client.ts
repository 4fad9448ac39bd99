/** Informers of many config maps: how long it takes until they know all of them, what memory that takes, and how soon they hear of a change. */
import { fork } from 'node:child_process';
import path from 'node:path';
import type { ListMetadata } from '../../../generated/client/index.ts';
import { type Bench, request, withPeakMemory } from '../bench.ts';
import type { ClientAnswer, ClientTask } from '../client-process.ts';
import { FOLLOWERS, type FollowerName } from '../followers.ts';
import { configMapBody, configMapName } from '../objects.ts';
import { processFigures } from '../process-figures.ts';
import { median, percentile } from '../statistics.ts';
import { requestText } from '../target.ts';
import { fillWithConfigMaps } from './fill.ts';

/** Of a quiet watch: each event is alone on its way. */
const UPDATES = 20;
/** Config maps that change in turn. */
const CHANGED = 1_000;
/** Milliseconds for the last events to arrive. */
const SETTLE = 1_000;

interface Run {
  readonly syncMs: number;
  /** megabytes beyond those before, of what is no file's: the most at any time, and at rest */
  readonly peakMb: number;
  readonly restMb: number;
  readonly delays: readonly number[];
}

export async function measureClient(bench: Bench): Promise<void> {
  const { configMaps, repeat } = bench.options;
  const namespace = await bench.makeNamespace();
  await fillWithConfigMaps(bench, namespace, configMaps);
  const stored = await storedConfigMaps(bench, namespace);
  const names = Object.keys(FOLLOWERS) as FollowerName[];
  const runs = new Map(names.map((name) => [name, [] as Run[]]));
  for (let turn = 0; turn < repeat; turn++) for (const name of names) runs.get(name)?.push(await measured(bench, name, namespace, stored));
  for (const [name, all] of runs) report(bench, name, all, stored);
}

interface Stored {
  /** those of the bench, and what every namespace has */
  readonly count: number;
  /** of their JSON */
  readonly megabytes: number;
}

async function storedConfigMaps({ target }: Bench, namespace: string): Promise<Stored> {
  const path = configMapsPath(namespace);
  const { metadata } = JSON.parse((await request(target, 'GET', `${path}?limit=1`)).toString()) as { metadata: ListMetadata };
  const { length } = await request(target, 'GET', path);
  return { count: 1 + (metadata.remainingItemCount ?? 0), megabytes: length / 1e6 };
}

const configMapsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

function report({ report, options }: Bench, name: FollowerName, runs: readonly Run[], { megabytes }: Stored): void {
  const middle = (of: (run: Run) => number): number => median(runs.map(of));
  const [peakMb, restMb] = [middle((run) => run.peakMb), middle((run) => run.restMb)];
  const times = (memory: number): string => `${(memory / megabytes).toFixed(2)} times`;
  report({
    workload: 'client',
    name: `${options.configMaps.toLocaleString('en')} config maps synced: ${name}`,
    p50Ms: middle(({ syncMs }) => syncMs),
    residentMb: restMb,
    anonymousMb: restMb,
    peakMb,
    anonymousPeakMb: peakMb,
    note: `${times(peakMb)} at most and ${times(restMb)} at rest the ${megabytes.toFixed(0)} MB of their JSON`,
  });
  const delays = Float64Array.from(runs.flatMap((run) => run.delays)).sort();
  report({
    workload: 'client',
    name: `an event, ${UPDATES} a second: ${name}`,
    p50Ms: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
    note: `of ${delays.length.toLocaleString('en')} events the last after ${(delays.at(-1) ?? Number.NaN).toFixed(1)} ms`,
  });
}

async function measured(bench: Bench, name: FollowerName, namespace: string, { count }: Stored): Promise<Run> {
  const { target, secondLoad, options, groupDomain } = bench;
  const child = new ClientProcess();
  try {
    const dialect = groupDomain === 'k8s.io' ? 'kubernetes' : 'cluster';
    await child.run({ kind: 'open', name, followed: { target, namespace, dialect } });
    await child.run({ kind: 'rest' });
    const before = child.anonymousMb();
    const [synced, { anonymousPeakMb = Number.NaN }] = await withPeakMemory({ ...target, pid: child.pid }, () =>
      child.run({ kind: 'sync' }),
    );
    if (synced.objects !== count) throw new Error(`${name} knows ${synced.objects} of ${count} config maps`);
    await child.run({ kind: 'rest' });
    const restMb = child.anonymousMb() - before;
    await child.run({ kind: 'delays' });
    const request = requestText(target, 'PUT', `${configMapsPath(namespace)}/${configMapName}`, configMapBody(namespace));
    const updates = { kind: 'updates', target, request, objects: CHANGED, perSecond: UPDATES, seconds: options.seconds } as const;
    const { sent, failures } = await secondLoad.run(updates);
    await new Promise((resolve) => setTimeout(resolve, SETTLE));
    const { delays = [] } = await child.run({ kind: 'delays' });
    if (failures > 0 || delays.length !== sent) throw new Error(`${name} heard of ${delays.length} of ${sent} updates, ${failures} failed`);
    return { syncMs: synced.milliseconds as number, peakMb: anonymousPeakMb - before, restMb, delays };
  } finally {
    child.close();
  }
}

class ClientProcess {
  readonly #child = fork(path.join(import.meta.dirname, '../client-process.ts'), { execArgv: ['--expose-gc'] });

  get pid(): number {
    return this.#child.pid as number;
  }

  /** NaN where the system does not tell */
  anonymousMb(): number {
    return (processFigures(this.pid)?.anonymousBytes ?? Number.NaN) / 1e6;
  }

  /** One at a time. @throws Error of the task, or when the process ends */
  run(task: ClientTask): Promise<ClientAnswer> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the process of a client ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (message: { answer: ClientAnswer; error?: string }) => {
        this.#child.off('exit', onExit);
        if (message.error === undefined) resolve(message.answer);
        else reject(new Error(message.error));
      });
      this.#child.send(task);
    });
  }

  close(): void {
    this.#child.disconnect();
  }
}
