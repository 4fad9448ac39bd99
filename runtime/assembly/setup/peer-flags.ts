/** Reads from flags how servers of one store pass requests on to one another, which is behind the feature gate UnknownVersionInteroperabilityProxy. */
import { isIP } from 'node:net';
import { isInEtcd } from './etcd-flags.ts';
import type { Flags } from './flags.ts';

const GATE = 'UnknownVersionInteroperabilityProxy';
const CERTIFICATE_FLAGS = { 'proxy-client-cert-file': 'proxy-cert-file', 'proxy-client-key-file': 'proxy-key-file' } as const;
const LAST_PORT = 65_535;

type PeerFlags = Pick<
  Flags,
  'peer-ca-file' | 'peer-advertise-ip' | 'peer-advertise-port' | keyof typeof CERTIFICATE_FLAGS | 'etcd-servers'
>;

export interface PeerSettings {
  /** where peers reach this server; undefined: where clients do */
  readonly advertised: { readonly ip: string; readonly port: number } | undefined;
  /** path of the authorities that peers are trusted by; '': nothing is passed on to peers */
  readonly authorityFile: string;
}

/**
 * @returns undefined if the gate is off, or the store belongs to this server alone
 * @throws Error for flags that contradict each other, in the words of 1.32, and for an address that is none
 */
export function peerSettings(flags: PeerFlags, featureEnabled: (gate: string) => boolean): PeerSettings | undefined {
  if (!featureEnabled(GATE)) return undefined;
  const authorityFile = flags['peer-ca-file'];
  for (const [flag, called] of Object.entries(CERTIFICATE_FLAGS) as [keyof typeof CERTIFICATE_FLAGS, string][])
    if (authorityFile !== '' && flags[flag] === '') throw new Error(`error building peer proxy handler, ${called} not specified`);
  const advertised = advertisedAddress(flags);
  return isInEtcd(flags) ? { advertised, authorityFile } : undefined;
}

/** As in 1.32 one of the two flags by itself has no effect. @throws Error that names the flag */
function advertisedAddress(flags: PeerFlags): PeerSettings['advertised'] {
  const { 'peer-advertise-ip': ip, 'peer-advertise-port': port } = flags;
  if (ip !== '' && isIP(ip) === 0) throw new Error(`--peer-advertise-ip: ${JSON.stringify(ip)} is no IP address`);
  if (port !== '' && !isPort(port)) throw new Error(`--peer-advertise-port: ${JSON.stringify(port)} is no port`);
  return ip === '' || port === '' ? undefined : { ip, port: Number(port) };
}

const isPort = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= LAST_PORT;
