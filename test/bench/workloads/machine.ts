/**
 * What the machine can do without the server that is measured, by which figures of different machines can be held against each other:
 * requests to Node's own listener with no API behind it, bytes through TLS, flushes of the disk, and JSON.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Bench } from '../bench.ts';
import { podBody } from '../objects.ts';
import { percentile } from '../statistics.ts';
import { requestText, type Target } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';
import { connectionsText } from './get.ts';
import { listRow } from './list-row.ts';

/** Bytes of the answer to a get of a pod of 3 KB. */
const POD_ANSWER = 4_900;
/** Bytes of a list of 10,000 pods of 5 KB. */
const LIST_ANSWER = 49_000_000;
/** Bytes that a store writes for a few small changes. */
const FLUSHED = 16 * 1024;

export async function measureMachine(bench: Bench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-machine-'));
  const bareServer = fork(path.join(import.meta.dirname, '../bare-server.ts'), [folder]);
  try {
    const [port] = (await once(bareServer, 'message')) as [number];
    await measureBareServer({ ...bench, target: targetOf(bareServer, port) });
    measureFlushes(bench, folder);
    measureJson(bench);
  } finally {
    bareServer.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

function targetOf({ pid }: ChildProcess, port: number): Target {
  return { host: '127.0.0.1', port, token: 'asked-for-by-nobody', ...(pid !== undefined && { pid }) };
}

async function measureBareServer(bench: Bench): Promise<void> {
  const request = requestText(bench.target, 'GET', `/${POD_ANSWER}`);
  for (const connections of [1, bench.options.connections])
    await closedLoopRow(bench, 'machine', `get from Node alone, ${connectionsText(connections)}`, { request, connections });
  await listRow(bench, 'machine', `/${LIST_ANSWER}`, { name: 'a whole list from Node alone', headers: {} });
}

function measureFlushes(bench: Bench, folder: string): void {
  const file = openSync(path.join(folder, 'flushed'), 'w');
  const bytes = Buffer.alloc(FLUSHED, 'x');
  try {
    repeat(bench, `flush of ${FLUSHED / 1024} KB`, () => {
      writeSync(file, bytes, 0, FLUSHED, 0);
      fdatasyncSync(file);
    });
  } finally {
    closeSync(file);
  }
}

function measureJson(bench: Bench): void {
  const pod = podBody();
  repeat(bench, 'JSON of 3 KB, parsed and written', () => {
    JSON.stringify(JSON.parse(pod));
  });
}

/** Does something again and again in this process for a second, and reports how long it took. */
function repeat({ report }: Bench, name: string, work: () => void): void {
  const times: number[] = [];
  const end = performance.now() + 1_000;
  for (let began = performance.now(); began < end; ) {
    work();
    const ended = performance.now();
    times.push(ended - began);
    began = ended;
  }
  const total = times.reduce((sum, time) => sum + time, 0);
  const sorted = Float64Array.from(times).sort();
  report({
    workload: 'machine',
    name,
    perSecond: (times.length / total) * 1_000,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  });
}
