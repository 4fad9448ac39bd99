/** Process start until /readyz is 200, and the memory held then. */
import type { Bench } from '../bench.ts';
import { LISTED_POD_BYTES } from '../objects.ts';
import type { OwnServer, Started } from '../own-server.ts';
import { median } from '../statistics.ts';
import { fillWithPods } from './fill.ts';

/** Leaves the server running. */
export async function measureStart(bench: Bench): Promise<void> {
  const { own, options, report } = bench;
  if (own === undefined) return;
  await own.clear();
  row(report, 'first, of an empty folder', [await own.start('node')]);
  row(report, 'again', await starts(own, 'node', options.repeat));
  row(report, 'again, npm start', await starts(own, 'npm', options.repeat));
  await fillWithPods(bench, await bench.makeNamespace(), options.storedPods, LISTED_POD_BYTES);
  row(report, `again, with ${options.storedPods.toLocaleString('en')} pods stored`, await starts(own, 'node', options.repeat));
}

async function starts(own: OwnServer, by: 'node' | 'npm', repeat: number): Promise<Started[]> {
  const all: Started[] = [];
  for (let i = 0; i < repeat; i++) {
    await own.stop();
    all.push(await own.start(by));
  }
  return all;
}

function row(report: Bench['report'], name: string, all: readonly Started[]): void {
  const megabytes = (bytes: (each: Started) => number | undefined) => median(all.map((each) => (bytes(each) ?? Number.NaN) / 1e6));
  const times = all.map(({ readyMs }) => readyMs);
  report({
    workload: 'start',
    name,
    p50Ms: median(times),
    residentMb: megabytes(({ figures }) => figures?.residentBytes),
    anonymousMb: megabytes(({ figures }) => figures?.anonymousBytes),
    ...(all.length > 1 && { note: `best of ${all.length}: ${Math.round(Math.min(...times))} ms` }),
  });
}
