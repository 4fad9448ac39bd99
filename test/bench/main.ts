/**
 * Measures a server: node test/bench/main.ts [FLAGS]
 *
 *   --server=URL --token=TOKEN [--ca=FILE] [--pid=PID]   any server of this API; without them ours, started in a folder of its own
 *   --server-flags="FLAGS"    further flags for ours
 *   --workloads=start,get,create,list,watch
 *   --seconds=5  --connections=64  --pods=10000  --watchers=1000  --updates=200  --repeat=5
 *   --json                    the rows as JSON instead of the table
 *
 * Figures of two servers compare when they were measured in one run on one machine; absolute ones do not.
 */
import { parseArgs } from 'node:util';
import { type Bench, type BenchOptions, createNamespace, learnDialect, request } from './bench.ts';
import { LoadProcess } from './load/load-process.ts';
import { OwnServer } from './own-server.ts';
import { type Row, renderTable } from './table.ts';
import { type Target, targetOf } from './target.ts';
import { measureCreate } from './workloads/create.ts';
import { measureGet } from './workloads/get.ts';
import { measureList } from './workloads/list.ts';
import { measureStart, measureStartStored } from './workloads/start.ts';
import { measureWatch } from './workloads/watch.ts';

const WORKLOADS = ['start', 'get', 'create', 'list', 'watch'];
const MEASURES: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  get: measureGet,
  create: measureCreate,
  list: measureList,
  watch: measureWatch,
};

const text = (preset: string) => ({ type: 'string', default: preset }) as const;
const { values: flags } = parseArgs({
  options: {
    server: text(''),
    token: text(''),
    ca: { type: 'string' },
    pid: { type: 'string' },
    'server-flags': text(''),
    workloads: text(WORKLOADS.join(',')),
    seconds: text('5'),
    connections: text('64'),
    pods: text('10000'),
    watchers: text('1000'),
    updates: text('200'),
    repeat: text('5'),
    json: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const wanted = flags.workloads.split(',');
  const unknown = wanted.find((name) => !WORKLOADS.includes(name));
  if (unknown !== undefined) throw new Error(`--workloads: there is no workload ${unknown}`);
  const options: BenchOptions = {
    seconds: Number(flags.seconds),
    connections: Number(flags.connections),
    pods: Number(flags.pods),
    watchers: Number(flags.watchers),
    updates: Number(flags.updates),
    repeat: Number(flags.repeat),
  };
  const own = flags.server === '' ? new OwnServer(flags['server-flags'].split(' ').filter((flag) => flag !== '')) : undefined;
  // the server is in a process group of its own
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void own?.remove().finally(() => process.exit(1)));
  const rows: Row[] = [];
  const report = (row: Row) => {
    rows.push(row);
    if (!flags.json) console.error(renderTable([row]).split('\n')[1]);
  };
  try {
    if (wanted.includes('start')) await measureStart({ own, options, report });
    else await own?.start('node');
    await measureLoads(wanted, { own, options, report });
  } finally {
    await own?.remove();
  }
  console.log(flags.json ? JSON.stringify(rows, null, 2) : `\n${renderTable(rows)}`);
}

async function measureLoads(wanted: readonly string[], start: Pick<Bench, 'own' | 'options' | 'report'>): Promise<void> {
  const target: Target =
    start.own?.target ?? targetOf(flags.server, flags.token, flags.ca, flags.pid === undefined ? undefined : Number(flags.pid));
  const [load, secondLoad] = [new LoadProcess(), new LoadProcess()];
  const namespaces: string[] = [];
  const makeNamespace = async () => {
    const name = await createNamespace(target);
    namespaces.push(name);
    return name;
  };
  const bench: Bench = { ...start, target, load, secondLoad, makeNamespace, ...(await learnDialect(target)) };
  try {
    for (const workload of wanted) await MEASURES[workload]?.(bench);
    if (wanted.includes('start') && wanted.includes('list')) await measureStartStored(bench);
  } finally {
    load.close();
    secondLoad.close();
    // a folder of our own goes as a whole
    if (start.own === undefined) for (const name of namespaces) await removeNamespace(target, name);
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
