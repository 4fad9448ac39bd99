/**
 * Measures a server: node test/bench/main.ts [FLAGS]
 *
 *   --server=URL --token=TOKEN [--ca=FILE] [--pid=PID]   any server of this API; without them ours, started in a folder of its own
 *   --server=FOLDER           ours, of another checkout
 *   --server-flags="FLAGS"    further flags for ours
 *   --compare=URL|FOLDER      a second server, measured in turn with the first: closed loops in slices of less than a second, with the ratio of the
 *                             processor times, other workloads once with either; with --compare-token, --compare-ca, --compare-pid, --compare-flags
 *   --workloads=machine,start,embedded,get,access,create,webhook,update,patch,apply,delete,list,select,watch,client,custom,rules,audit-events,policy,heartbeats,costs,guards
 *   --warm-up=10  --seconds=5  --connections=64  --repeat=5
 *   --stored-pods=22000       of starts
 *   --pods=10000  --changes=100  --lists-at-once=16     of lists
 *   --config-maps=100000      of selections and of informers
 *   --definitions=500         of custom resources
 *   --watchers=1000  --object-watchers=300  --updates=200     of watches
 *   --agents=1000             of nodes
 *   --costs=TEXT              those costs alone that have the text in their names
 *   --json                    the rows as JSON instead of the table
 *
 * Figures of two servers compare when they were measured in one run on one machine. For those of two machines, `machine` says how fast each is.
 */
import { parseArgs } from 'node:util';
import { type Bench, type BenchOptions, createNamespace, learnDialect, request } from './bench.ts';
import { Comparison } from './comparison.ts';
import { LoadProcess } from './load/load-process.ts';
import { type MeasuredServer, measuredServer } from './server-flags.ts';
import { type Row, renderTable } from './table.ts';
import type { Target } from './target.ts';
import { measureAccess } from './workloads/access.ts';
import { measureAuditEvents } from './workloads/audit-events.ts';
import { measureClient } from './workloads/client.ts';
import { measureCosts } from './workloads/costs.ts';
import { measureCreate } from './workloads/create.ts';
import { measureCustom } from './workloads/custom.ts';
import { measureEmbedded } from './workloads/embedded.ts';
import { measureGet } from './workloads/get.ts';
import { measureGuards } from './workloads/guards.ts';
import { measureHeartbeats } from './workloads/heartbeats.ts';
import { measureList } from './workloads/list.ts';
import { measureMachine } from './workloads/machine.ts';
import { measurePolicy } from './workloads/policy.ts';
import { measureRules } from './workloads/rules.ts';
import { measureSelect } from './workloads/select.ts';
import { measureStart } from './workloads/start.ts';
import { measureWatch } from './workloads/watch.ts';
import { measureWebhook } from './workloads/webhook.ts';
import { measureApply, measureDelete, measurePatch, measureUpdate } from './workloads/write.ts';

/** In the order in which they run. */
const WORKLOADS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  machine: measureMachine,
  start: measureStart,
  embedded: measureEmbedded,
  get: measureGet,
  access: measureAccess,
  create: measureCreate,
  webhook: measureWebhook,
  update: measureUpdate,
  patch: measurePatch,
  apply: measureApply,
  delete: measureDelete,
  list: measureList,
  select: measureSelect,
  watch: measureWatch,
  client: measureClient,
  custom: measureCustom,
  rules: measureRules,
  'audit-events': measureAuditEvents,
  policy: measurePolicy,
  heartbeats: measureHeartbeats,
  costs: measureCosts,
  guards: measureGuards,
};

/** Closed loops alone: two servers that are compared run them in turn. */
const IN_TURN: ReadonlySet<string> = new Set(['get', 'access', 'create', 'update', 'patch', 'apply', 'delete']);

const text = (preset: string) => ({ type: 'string', default: preset }) as const;
const { values: flags } = parseArgs({
  options: {
    server: text(''),
    token: text(''),
    ca: { type: 'string' },
    pid: { type: 'string' },
    'server-flags': text(''),
    compare: { type: 'string' },
    'compare-token': text(''),
    'compare-ca': { type: 'string' },
    'compare-pid': { type: 'string' },
    'compare-flags': text(''),
    workloads: text(Object.keys(WORKLOADS).join(',')),
    'warm-up': text('10'),
    seconds: text('5'),
    connections: text('64'),
    pods: text('10000'),
    'config-maps': text('100000'),
    definitions: text('500'),
    'stored-pods': text('22000'),
    watchers: text('1000'),
    'object-watchers': text('300'),
    updates: text('200'),
    agents: text('1000'),
    changes: text('100'),
    'lists-at-once': text('16'),
    costs: text(''),
    repeat: text('5'),
    json: { type: 'boolean', default: false },
  },
});

const options: BenchOptions = {
  warmUpSeconds: Number(flags['warm-up']),
  seconds: Number(flags.seconds),
  connections: Number(flags.connections),
  pods: Number(flags.pods),
  configMaps: Number(flags['config-maps']),
  definitions: Number(flags.definitions),
  storedPods: Number(flags['stored-pods']),
  watchers: Number(flags.watchers),
  objectWatchers: Number(flags['object-watchers']),
  updates: Number(flags.updates),
  agents: Number(flags.agents),
  changes: Number(flags.changes),
  listsAtOnce: Number(flags['lists-at-once']),
  repeat: Number(flags.repeat),
  costs: flags.costs,
};

async function main(): Promise<void> {
  const wanted = flags.workloads.split(',');
  const unknown = wanted.find((name) => !(name in WORKLOADS));
  if (unknown !== undefined) throw new Error(`--workloads: there is no workload ${unknown}`);
  const servers = measuredServers();
  // the servers are in process groups of their own
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void Promise.all(servers.map(({ own }) => own?.remove())).finally(() => process.exit(1)));
  const rows: Row[] = [];
  const report = (row: Row) => {
    rows.push(row);
    if (!flags.json) console.error(renderTable([row]).split('\n')[1]);
  };
  const progress = (text: string) => console.error(text);
  const loads = [new LoadProcess(), new LoadProcess()] as const;
  const given = { options, load: loads[0], secondLoad: loads[1], progress };
  const both = new Comparison((loops) => given.load.run(loops));
  const measured = (server: MeasuredServer): Given => ({ ...given, report: named(report, server, servers) });
  try {
    for (const name of Object.keys(WORKLOADS).filter((each) => wanted.includes(each))) {
      const runs = servers.map((server, i) => () => {
        const comparison = servers.length > 1 && IN_TURN.has(name) ? { both, isFirst: i === 0 } : undefined;
        return measure(name, server, { ...measured(server), ...(comparison && { comparison, load: loads[i] as LoadProcess }) });
      });
      if (IN_TURN.has(name)) await Promise.all(runs.map((run) => run()));
      else for (const run of runs) await run();
    }
  } finally {
    for (const each of loads) each.close();
    for (const { own } of servers) await own?.remove();
  }
  console.log(flags.json ? JSON.stringify(rows, null, 2) : `\n${renderTable(rows)}`);
}

function measuredServers(): MeasuredServer[] {
  const { server, token, ca, pid, compare } = flags;
  const first = measuredServer({ server, token, ca, pid, flags: flags['server-flags'] });
  if (compare === undefined) return [first];
  return [
    first,
    measuredServer({
      server: compare,
      token: flags['compare-token'],
      ca: flags['compare-ca'],
      pid: flags['compare-pid'],
      flags: flags['compare-flags'],
    }),
  ];
}

function named(report: Bench['report'], server: MeasuredServer, servers: readonly MeasuredServer[]): Bench['report'] {
  return servers.length === 1 ? report : (row) => report({ ...row, server: server.name });
}

type Given = Pick<Bench, 'options' | 'load' | 'secondLoad' | 'comparison' | 'progress' | 'report'>;

/** One workload of one server: ours runs for that time alone, so that two that are compared do not share the machine where they do not take turns. */
async function measure(workload: string, { own, target }: MeasuredServer, given: Given): Promise<void> {
  await own?.clear();
  await own?.start('node');
  const namespaces: string[] = [];
  const bench: Bench = {
    ...given,
    own,
    get target() {
      return target();
    },
    async makeNamespace() {
      const name = await createNamespace(target());
      namespaces.push(name);
      return name;
    },
    ...(await learnDialect(target())),
  };
  try {
    await WORKLOADS[workload]?.(bench);
  } finally {
    if (own === undefined) for (const name of namespaces) await removeNamespace(target(), name);
    // what it has stored goes as a whole
    else await own.stop();
  }
}

async function removeNamespace(target: Target, name: string): Promise<void> {
  for (const resource of ['pods', 'configmaps']) await request(target, 'DELETE', `/api/v1/namespaces/${name}/${resource}`);
  await request(target, 'DELETE', `/api/v1/namespaces/${name}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
