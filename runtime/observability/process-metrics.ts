/** Metrics of the resources that the process uses. They are read only when somebody asks for them. */
import { readdirSync, readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import type { Metrics } from './metrics.ts';

/** When the process started, in seconds since 1970. */
const STARTED = Math.round(Date.now() - process.uptime() * 1_000) / 1_000;

const KIB = 1024;
const MICROSECONDS = 1e6;

/** Adds the metrics to those of the process. On systems other than Linux, those that `/proc` tells are left out. */
export function tellOfProcess(metrics: Metrics): void {
  const processor = metrics.counter('process_cpu_seconds_total').with({});
  const resident = metrics.gauge('process_resident_memory_bytes');
  const virtual = metrics.gauge('process_virtual_memory_bytes');
  const started = metrics.gauge('process_start_time_seconds');
  const open = metrics.gauge('process_open_fds');
  const most = metrics.gauge('process_max_fds');
  const heap = metrics.gauge('nodejs_heap_size_total_bytes');
  const used = metrics.gauge('nodejs_heap_size_used_bytes');
  const limit = metrics.gauge('nodejs_heap_size_limit_bytes');
  const external = metrics.gauge('nodejs_external_memory_bytes');
  let spent = 0;
  metrics.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    const now = (user + system) / MICROSECONDS;
    processor.inc(now - spent);
    spent = now;
    const memory = process.memoryUsage();
    resident.set({}, memory.rss);
    heap.set({}, memory.heapTotal);
    used.set({}, memory.heapUsed);
    external.set({}, memory.external);
    limit.set({}, getHeapStatistics().heap_size_limit);
    started.set({}, STARTED);
    const linux = ofLinux();
    if (linux === undefined) return;
    virtual.set({}, linux.virtualBytes);
    open.set({}, linux.openFiles);
    most.set({}, linux.mostFiles);
  });
}

/** What only Linux tells about a process. */
interface OfLinux {
  readonly virtualBytes: number;
  readonly openFiles: number;
  readonly mostFiles: number;
}

/** @returns undefined if the system does not provide them */
function ofLinux(): OfLinux | undefined {
  try {
    const kibibytes = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    const files = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    // the folder itself is open while it is read, and must not be counted
    const openFiles = readdirSync('/proc/self/fd').length - 1;
    return { virtualBytes: Number(kibibytes) * KIB, openFiles, mostFiles: Number(files) };
  } catch {
    return undefined;
  }
}
