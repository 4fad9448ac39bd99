/** Process start until /readyz is 200, and the memory held then. */
import type { Bench } from '../bench.ts';
import type { OwnServer, Started } from '../own-server.ts';
import { median } from '../statistics.ts';

/** Leaves the server running. */
export async function measureStart({ own, options, report }: Pick<Bench, 'own' | 'options' | 'report'>): Promise<void> {
  if (own === undefined) return;
  row(report, 'first, of an empty folder', [await own.start('node')]);
  row(report, 'again', await starts(own, 'node', options.repeat));
  row(report, 'again, npm start', await starts(own, 'npm', options.repeat));
  await own.stop();
  await own.start('node');
}

/** With what the other workloads have stored. */
export async function measureStartStored({ own, options, report }: Bench): Promise<void> {
  if (own === undefined) return;
  row(report, 'again, with what is stored by now', await starts(own, 'node', options.repeat));
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
  report({
    workload: 'start',
    name,
    p50Ms: median(all.map(({ readyMs }) => readyMs)),
    residentMb: megabytes(({ figures }) => figures?.residentBytes),
    anonymousMb: megabytes(({ figures }) => figures?.anonymousBytes),
  });
}
