/** What every workload gets. */
import { randomBytes } from 'node:crypto';
import type { Comparison } from './comparison.ts';
import { Connection } from './load/connection.ts';
import type { LoadProcess } from './load/load-process.ts';
import type { OwnServer } from './own-server.ts';
import { figuresOf, processFamily, processFigures, resetPeak } from './process-figures.ts';
import type { Row } from './table.ts';
import { requestText, type Target } from './target.ts';

export interface BenchOptions {
  /** before each closed loop is measured */
  readonly warmUpSeconds: number;
  /** measured time of each closed loop, of each case of reads, and of updates */
  readonly seconds: number;
  readonly connections: number;
  /** stored for lists */
  readonly pods: number;
  /** stored for selections and for informers */
  readonly configMaps: number;
  /** of custom resources, stored */
  readonly definitions: number;
  /** stored for starts */
  readonly storedPods: number;
  /** of a namespace */
  readonly watchers: number;
  /** of one object */
  readonly objectWatchers: number;
  /** in a second, while watchers watch */
  readonly updates: number;
  /** of nodes, which say that they live */
  readonly agents: number;
  /** in a second, while lists are read */
  readonly changes: number;
  /** whole lists that are read at the same time */
  readonly listsAtOnce: number;
  /** times that a list, a start or a pair of servers is repeated, at least */
  readonly repeat: number;
  /** what the names of the costs have in them that are measured */
  readonly costs: string;
}

export interface Bench {
  readonly options: BenchOptions;
  readonly load: LoadProcess;
  /** a second load process, for load while the first one watches or lists */
  readonly secondLoad: LoadProcess;
  /** absent: the server has the machine for itself */
  readonly comparison?: { readonly both: Comparison; readonly isFirst: boolean };
  /** absent: the server is not ours to start */
  readonly own: OwnServer | undefined;
  /** another one after a start */
  readonly target: Target;
  /** domain of the API's groups, as in `meta.k8s.io` */
  readonly groupDomain: string;
  /** as in `application/vnd.kubernetes.protobuf` */
  readonly mediaProduct: string;
  report(row: Row): void;
  /** Says how far something is that takes long. */
  progress(text: string): void;
  /** A new namespace, removed at the end. */
  makeNamespace(): Promise<string>;
}

/** One request that must succeed. @throws Error with the answer */
export async function request(target: Target, method: string, path: string, body = ''): Promise<Buffer> {
  const connection = await Connection.open(target);
  try {
    const answer = await connection.exchange(requestText(target, method, path, body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
    return answer.body;
  } finally {
    connection.close();
  }
}

/** The words that differ between servers of this API, by the groups that this one has. */
export async function learnDialect(target: Target): Promise<Pick<Bench, 'groupDomain' | 'mediaProduct'>> {
  const groups = JSON.parse((await request(target, 'GET', '/apis')).toString('utf8')) as { groups: { name: string }[] };
  const known = groups.groups.some(({ name }) => name.endsWith('.k8s.io'));
  return known ? { groupDomain: 'k8s.io', mediaProduct: 'kubernetes' } : { groupDomain: 'cluster.io', mediaProduct: 'cluster' };
}

export async function createNamespace(target: Target): Promise<string> {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  await request(target, 'POST', '/api/v1/namespaces', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  return name;
}

/** @returns processor time of the server per unit of work that `work` reports, in microseconds, where its process is known */
export async function withProcessorTime<T>(
  target: Target,
  work: () => Promise<T>,
  units: (result: T) => number,
): Promise<[T, number | undefined]> {
  const before = target.pid === undefined ? undefined : processFigures(target.pid);
  const result = await work();
  const after = target.pid === undefined ? undefined : processFigures(target.pid);
  if (before === undefined || after === undefined) return [result, undefined];
  return [result, ((after.processorSeconds - before.processorSeconds) * 1e6) / units(result)];
}

/** Milliseconds between looks at memory that the system keeps no peak of. */
const MEMORY_SAMPLES = 50;

/** @returns the most memory that the server held during `work`, where its process is known; what is no file's is sampled */
export async function withPeakMemory<T>({ pid }: Target, work: () => Promise<T>): Promise<[T, Pick<Row, 'peakMb' | 'anonymousPeakMb'>]> {
  const family = pid === undefined ? undefined : processFamily(pid);
  if (family === undefined || !resetPeak(family)) return [await work(), {}];
  let anonymous = 0;
  const sample = () => (anonymous = Math.max(anonymous, figuresOf(family).anonymousBytes));
  const timer = setInterval(sample, MEMORY_SAMPLES);
  try {
    const result = await work();
    sample();
    return [result, { peakMb: figuresOf(family).peakBytes / 1e6, anonymousPeakMb: anonymous / 1e6 }];
  } finally {
    clearInterval(timer);
  }
}
