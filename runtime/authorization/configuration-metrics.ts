import type { Metrics } from '../observability/metrics.ts';

const PREFIX = 'apiserver_authorization_config_controller_automatic_reload';

export interface ConfigurationMetrics {
  reloaded(status: 'success' | 'failure'): void;
}

/** @param server a hash that tells it from others */
export function configurationMetrics(metrics: Metrics, server: string): ConfigurationMetrics {
  const labels = ['status', 'apiserver_id_hash'];
  const count = metrics.counter(`${PREFIX}s_total`, 'Automatic reloads of the authorization configuration, by status and server.', labels);
  const last = metrics.gauge(
    `${PREFIX}_last_timestamp_seconds`,
    'Time of the last automatic reload of the authorization configuration, by status and server.',
    labels,
  );
  return {
    reloaded(status) {
      const of = { status, apiserver_id_hash: server };
      count.inc(of);
      last.set(of, Date.now() / 1000);
    },
  };
}
