/**
 * Measures servers: `make bench BENCH="FLAGS"`, or `node test/bench/main.ts FLAGS`; `--help` lists them. Figures of two servers compare when they were measured in
 * one run on one machine. For those of two machines, the workload `machine` says how fast each is.
 */
import { runCommand } from '../../runtime/main/command-line.ts';
import { FlagError } from '../../runtime/server/flags/flag-data.ts';
import type { FlagValues } from '../../runtime/server/flags/flags.ts';
import { type Bench, type BenchOptions, createNamespace, learnDialect, request } from './bench.ts';
import { benchFlags, SUMMARY } from './bench-flags.ts';
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

const flagsOfBench = benchFlags(Object.keys(WORKLOADS));
type Flags = FlagValues<typeof flagsOfBench>;

const optionsOf = (flags: Flags): BenchOptions => ({
  warmUpSeconds: flags['warm-up'],
  seconds: flags.seconds,
  connections: flags.connections,
  pods: flags.pods,
  configMaps: flags['config-maps'],
  definitions: flags.definitions,
  storedPods: flags['stored-pods'],
  watchers: flags.watchers,
  objectWatchers: flags['object-watchers'],
  updates: flags.updates,
  agents: flags.agents,
  changes: flags.changes,
  listsAtOnce: flags['lists-at-once'],
  repeat: flags.repeat,
  costs: flags.costs,
});

async function main(flags: Flags): Promise<number> {
  const wanted = flags.workloads;
  const unknown = wanted.find((name) => !(name in WORKLOADS));
  if (unknown !== undefined) throw new FlagError(`--workloads: there is no workload ${unknown}`);
  const servers = measuredServers(flags);
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
  const given = { options: optionsOf(flags), load: loads[0], secondLoad: loads[1], progress };
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
  return 0;
}

function measuredServers(flags: Flags): MeasuredServer[] {
  const { server, token, ca, pid, compare } = flags;
  const first = measuredServer({ server, token, ca: unlessEmpty(ca), pid: unlessEmpty(pid), flags: flags['server-flags'] });
  if (compare === '') return [first];
  return [
    first,
    measuredServer({
      server: compare,
      token: flags['compare-token'],
      ca: unlessEmpty(flags['compare-ca']),
      pid: unlessEmpty(flags['compare-pid']),
      flags: flags['compare-flags'],
    }),
  ];
}

const unlessEmpty = (text: string): string | undefined => (text === '' ? undefined : text);

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

await runCommand({ program: 'make', name: 'bench', summary: SUMMARY, flags: flagsOfBench }, process.argv.slice(2), main);
