/** Many watchers while objects change at a steady rate: of a namespace with many objects, and of one object. */
import { type Bench, withProcessorTime } from '../bench.ts';
import { configMapBody, configMapName } from '../objects.ts';
import { processFigures } from '../process-figures.ts';
import { requestText } from '../target.ts';

/** for the last events to arrive */
const SETTLE_MS = 1_000;

interface WatchCase {
  readonly name: string;
  readonly watchers: number;
  /** that change in turn */
  readonly objects: number;
  /** of the watch, beside what makes it one */
  readonly query: string;
}

export async function measureWatch(bench: Bench): Promise<void> {
  const { watchers, objectWatchers, updates } = bench.options;
  const rate = `${updates} updates/s`;
  const one = configMapName.replace(/@+/, '00000000');
  await measureCase(bench, { name: `${watchers.toLocaleString('en')} watchers of a namespace, ${rate}`, watchers, objects: 50, query: '' });
  await measureCase(bench, {
    name: `${objectWatchers.toLocaleString('en')} watchers of one object, ${rate}`,
    watchers: objectWatchers,
    objects: 1,
    query: `&fieldSelector=metadata.name%3D${one}`,
  });
}

async function measureCase(bench: Bench, { name, watchers, objects, query }: WatchCase): Promise<void> {
  const { target, load, secondLoad, options, report } = bench;
  const namespace = await bench.makeNamespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const body = configMapBody(namespace);
  await load.run({
    kind: 'closedLoop',
    target,
    connections: Math.min(objects, 8),
    request: requestText(target, 'POST', path, body),
    first: 0,
    count: objects,
    seconds: 60,
  });
  const before = residentBytes(bench);
  await load.run({ kind: 'watchers', target, path: `${path}?watch=true&timeoutSeconds=600${query}`, watchers });
  const opened = residentBytes(bench);
  const request = requestText(target, 'PUT', `${path}/${configMapName}`, body);
  const [updates, processorUs] = await withProcessorTime(
    target,
    () => secondLoad.run({ kind: 'updates', target, request, objects, perSecond: options.updates, seconds: options.seconds }),
    ({ sent }) => sent * watchers,
  );
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { events, perSecond, p50Ms, p99Ms } = await load.run({ kind: 'stopWatchers' });
  const missing = (updates.sent - updates.failures) * watchers - events;
  report({
    workload: 'watch',
    name,
    perSecond,
    p50Ms,
    p99Ms,
    ...(processorUs !== undefined && { processorUs }),
    note: [
      before !== undefined && opened !== undefined && `${((opened - before) / 1e3 / watchers).toFixed(1)} KB per watcher`,
      missing > 0 && `${missing} events missing`,
      updates.failures > 0 && `${updates.failures} updates failed`,
      updates.late > 0 && 'updates were held up',
    ]
      .filter((text) => text !== false)
      .join(', '),
  });
}

function residentBytes({ target }: Bench): number | undefined {
  return target.pid === undefined ? undefined : processFigures(target.pid)?.residentBytes;
}
