/** Servers inside of one process, such as a test: how long each takes to start, and what it holds at rest. It needs no server to ask. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Bench } from '../bench.ts';
import type { EmbeddedFigures, Made } from '../embedded-servers.ts';
import { percentile } from '../statistics.ts';
import type { Row } from '../table.ts';

const COUNTS = [100, 1_000];

export async function measureEmbedded({ report }: Bench): Promise<void> {
  for (const count of COUNTS) {
    const { started, forked, stopMilliseconds } = await figures(count);
    const all = `${count.toLocaleString('en')} in one process`;
    report({ ...madeRow(`start of one of ${all}`, started), note: `stopped in ${stopMilliseconds.toFixed(2)} ms each` });
    report(madeRow(`fork of one beside ${all}, 100 ConfigMaps stored`, forked));
  }
}

async function figures(count: number): Promise<EmbeddedFigures> {
  const script = path.join(import.meta.dirname, '../embedded-servers.ts');
  const child = fork(script, [String(count)], { execArgv: ['--expose-gc'] });
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`servers in one process ended with ${code}`)));
  const [measured] = (await Promise.race([once(child, 'message'), failed])) as [EmbeddedFigures];
  failed.catch(() => {});
  return measured;
}

function madeRow(name: string, { milliseconds, processorUs, bytes }: Made): Row {
  const sorted = Float64Array.from(milliseconds).sort();
  const megabytes = bytes / 1e6;
  return {
    workload: 'embedded',
    name,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    processorUs,
    residentMb: megabytes,
    anonymousMb: megabytes,
  };
}
