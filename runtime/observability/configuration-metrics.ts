/** Counts how often a configuration file was read again while the server ran, and when last, under the names of 1.32. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Counter, Gauge } from './metrics.ts';

interface Figures {
  counter(name: string): Pick<Counter, 'inc'>;
  gauge(name: string): Pick<Gauge, 'set'>;
}

export interface ConfigurationMetrics {
  /** Counts one reading, which has succeeded or failed. */
  reloaded(status: 'success' | 'failure'): void;
}

export function configurationMetrics(metrics: Figures, subject: 'authentication' | 'authorization' | 'encryption'): ConfigurationMetrics {
  const prefix = `apiserver_${subject}_config_controller_automatic_reload`;
  const count = metrics.counter(`${prefix}s_total`);
  const last = metrics.gauge(`${prefix}_last_timestamp_seconds`);
  const server = serverHash();
  return {
    reloaded(status) {
      const of = { status, apiserver_id_hash: server };
      count.inc(of);
      last.set(of, Date.now() / 1000);
    },
  };
}

/** Returns the value of the label `apiserver_id_hash`, a digest of the host's name, which tells servers apart. */
export function serverHash(): string {
  return `sha256:${createHash('sha256').update(hostname()).digest('hex')}`;
}
