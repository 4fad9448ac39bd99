/** Many watchers of one namespace while its objects change at a steady rate. */
import { type Bench, withProcessorTime } from '../bench.ts';
import { configMapBody, configMapName } from '../objects.ts';
import { processFigures } from '../process-figures.ts';
import { requestText } from '../target.ts';

const OBJECTS = 50;
/** for the last events to arrive */
const SETTLE_MS = 1_000;

export async function measureWatch(bench: Bench): Promise<void> {
  const { target, load, secondLoad, options, report } = bench;
  const namespace = await bench.makeNamespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const body = configMapBody(namespace);
  await load.run({
    kind: 'closedLoop',
    target,
    connections: 8,
    request: requestText(target, 'POST', path, body),
    firstNumber: 0,
    count: OBJECTS,
    seconds: 60,
    warmUpSeconds: 0,
  });
  const before = residentBytes(bench);
  await load.run({ kind: 'watchers', target, path, watchers: options.watchers });
  const opened = residentBytes(bench);
  const request = requestText(target, 'PUT', `${path}/${configMapName}`, body);
  const [updates, processorUs] = await withProcessorTime(
    target,
    () => secondLoad.run({ kind: 'updates', target, request, objects: OBJECTS, perSecond: options.updates, seconds: options.seconds }),
    ({ sent }) => sent * options.watchers,
  );
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { events, perSecond, p50Ms, p99Ms } = await load.run({ kind: 'stopWatchers' });
  const missing = updates.sent * options.watchers - events;
  report({
    workload: 'watch',
    name: `${options.watchers.toLocaleString('en')} watchers, ${options.updates} updates/s`,
    perSecond,
    p50Ms,
    p99Ms,
    ...(processorUs !== undefined && { processorUs }),
    note: [
      before !== undefined && opened !== undefined && `${((opened - before) / 1e3 / options.watchers).toFixed(1)} KB per watcher`,
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
