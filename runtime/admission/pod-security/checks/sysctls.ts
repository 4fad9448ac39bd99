/** Parameters of the kernel: those that concern the pod alone may be set. */
import type { Check, CheckPod } from '../check.ts';

/** What each release added. */
const ADDED: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [29, ['net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes']],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
];

const allowing =
  (allowed: ReadonlySet<string>): CheckPod =>
  ({ spec }) => {
    const wrong = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
    return wrong.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: wrong.join(', ') };
  };

export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: ADDED.map(([since], index) => ({
    since,
    check: allowing(new Set(ADDED.slice(0, index + 1).flatMap(([, names]) => names))),
  })),
};
