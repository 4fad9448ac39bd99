/**
 * What parts of the server cost that an operator turns on: processor time of gets and creates of a server with the part and of one without it, which run
 * in turn. Each pair is started anew several times, for V8 compiles the same code differently in different processes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TraceCollector } from '../../harness/trace-collector.ts';
import { type Bench, createNamespace, learnDialect, request } from '../bench.ts';
import { ratioOf } from '../comparison.ts';
import type { AlternatingResult } from '../load/alternating-loops.ts';
import type { ClosedLoop } from '../load/closed-loop.ts';
import { podBody, podName } from '../objects.ts';
import { ORDINARY_TOKEN, ORDINARY_USER, type OwnServer } from '../own-server.ts';
import { median } from '../statistics.ts';
import { requestText, type Target } from '../target.ts';
import { type CostCase, costCases } from './cost-cases.ts';
import { fillWithPods } from './fill.ts';

const WORKLOAD = 'costs';
const PODS = 100;

type Pair<T> = readonly [T, T];
type Loop = Pick<ClosedLoop, 'target' | 'request' | 'cycle'>;

/** Needs a server of ours: it starts others of the same checkout, with the same flags and those of the cases. */
export async function measureCosts(bench: Bench): Promise<void> {
  const { own } = bench;
  if (own === undefined) return;
  // it would share the machine with those that are measured
  await own.stop();
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-costs-'));
  const collector = await new TraceCollector(false).listen();
  try {
    const cases = costCases(folder, bench.groupDomain, collector.endpoint).filter(({ name }) => name.includes(bench.options.costs));
    for (const each of cases) await measureCase(bench, own, each);
  } finally {
    collector.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCase(bench: Bench, own: OwnServer, costCase: CostCase): Promise<void> {
  const measured = { get: [] as Measured[], create: [] as Measured[] };
  for (let i = 0; i < bench.options.repeat; i++) {
    const servers = [own.another(costCase.flags), own.another(costCase.without)] as const;
    try {
      for (const server of servers) await server.start('node');
      const pair = [await prepare(bench, servers[0].target), await prepare(bench, servers[1].target)] as const;
      measured.get.push(await inTurn(bench, [pair[0].get, pair[1].get]));
      measured.create.push(await inTurn(bench, [pair[0].create, pair[1].create]));
    } finally {
      for (const server of servers) await server.remove();
    }
  }
  for (const verb of ['get', 'create'] as const) report(bench, `${verb}, ${costCase.name}`, costCase.goal, measured[verb]);
}

/** What is asked of one server, by a user who is no administrator: those go past priority and fairness. */
async function prepare(bench: Bench, target: Target): Promise<{ readonly get: Loop; readonly create: Loop }> {
  const { groupDomain } = await learnDialect(target);
  await permit(target, groupDomain);
  const [stored, made] = [await createNamespace(target), await createNamespace(target)];
  await fillWithPods({ ...bench, target }, stored, PODS);
  const asker = { ...target, token: ORDINARY_TOKEN };
  return {
    get: { target: asker, request: requestText(asker, 'GET', `/api/v1/namespaces/${stored}/pods/${podName}`), cycle: PODS },
    create: { target: asker, request: requestText(asker, 'POST', `/api/v1/namespaces/${made}/pods`, podBody()) },
  };
}

async function permit(target: Target, groupDomain: string): Promise<void> {
  const group = `rbac.authorization.${groupDomain}`;
  const binding = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: ORDINARY_USER },
    subjects: [{ kind: 'User', apiGroup: group, name: ORDINARY_USER }],
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
  };
  await request(target, 'POST', `/apis/${group}/v1/clusterrolebindings`, JSON.stringify(binding));
}

/** Of the server with the part first. */
type Measured = Pair<AlternatingResult>;

async function inTurn({ load, options }: Bench, pair: Pair<Loop>): Promise<Measured> {
  const { connections } = options;
  const run = async (first: number, seconds: number): Promise<Measured> => {
    const loops = pair.map((loop): ClosedLoop => ({ kind: 'closedLoop', connections, first, seconds, ...loop }));
    const results = await load.run({ kind: 'alternatingLoops' as const, loops: loops as [ClosedLoop, ClosedLoop] });
    const failed = results.find(({ failures }) => failures > 0);
    if (failed !== undefined) throw new Error(`${WORKLOAD}: ${failed.failures} requests failed, first: ${failed.firstFailure}`);
    return results;
  };
  const warm = await run(0, options.warmUpSeconds);
  return run(Math.max(...warm.map(({ sent }) => sent)), options.seconds);
}

/** The ratio is that of all pairs of slices, of all pairs of servers. */
function report({ report: tell }: Bench, name: string, goal: number, measured: readonly Measured[]): void {
  const slices = (side: 0 | 1) => ({ slices: measured.flatMap((pair) => pair[side].slices) });
  const ratio = ratioOf([slices(0), slices(1)]);
  tell({
    workload: WORKLOAD,
    name,
    processorWithoutUs: median(slices(1).slices),
    processorUs: median(slices(0).slices),
    ...(ratio !== undefined && { processorRatio: ratio }),
    ratioGoal: 1 + goal,
  });
}
