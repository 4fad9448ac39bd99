/** Reads from `EgressSelectorConfiguration` by which proxies other networks are reached (KEP-1281). */
import type { Connection, EgressSelectorConfiguration } from '../../generated/apiserver/v1beta1/types.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { selectionOf } from '../kinds/apiserver/egress-selector-configuration.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Egress, EgressName } from '../outbound/egress.ts';
import { DialFigures } from './dial-figures.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { httpConnectProxy } from './http-connect.ts';
import { KonnectivityProxy } from './konnectivity-proxy.ts';
import { proxied } from './proxied-tunnel.ts';

export interface EgressParts {
  /** path, from --egress-selector-config-file */
  readonly file: string;
  readonly fileKinds: () => Promise<FileKinds>;
  readonly log: Pick<Log, 'warn'>;
}

export interface EgressSelector extends Egress {
  /** Counts connections from now on. */
  countIn(metrics: Pick<Metrics, 'counter' | 'histogram'>): void;
  /** Ends connections of those proxies that carry them themselves. */
  close(): void;
}

const KIND = { group: 'apiserver.${groupDomain}', kind: 'EgressSelectorConfiguration' };

/** @throws FileError */
export async function createEgressSelector({ file, fileKinds, log }: EgressParts): Promise<EgressSelector> {
  const { object, warnings } = await (await fileKinds()).read(file, KIND);
  for (const warning of warnings) log.warn({}, warning);
  const { egressSelections } = object as unknown as EgressSelectorConfiguration;
  const figures = new DialFigures();
  const ways = (egressSelections ?? []).map(({ name, connection }) => [selectionOf(name), proxyOf(connection, file)] as const);
  const tunnels = new Map(ways.flatMap(([name, proxy]) => (proxy === undefined ? [] : [[name, proxied(proxy, figures)]])));
  return {
    tunnel: (name: EgressName) => tunnels.get(name),
    countIn: (metrics) => figures.countIn(metrics),
    close() {
      for (const [, proxy] of ways) proxy?.close?.();
    },
  };
}

/** @returns undefined for direct connections. @throws FileError for certificates that cannot be used */
function proxyOf({ proxyProtocol, transport }: Connection, file: string): EgressProxy | undefined {
  if (proxyProtocol === 'GRPC') return new KonnectivityProxy(transport?.uds?.udsName ?? '');
  return proxyProtocol === 'HTTPConnect' ? httpConnectProxy(transport ?? {}, file) : undefined;
}
