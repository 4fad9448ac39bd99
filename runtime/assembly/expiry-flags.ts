/** How long objects stay that expire. */
import type { LeaseTimes } from '../storage/etcd/shared-leases.ts';
import { isInEtcd } from './etcd-flags.ts';
import type { Flags } from './flags.ts';

type ExpiryFlags = Pick<Flags, 'etcd-servers' | 'event-ttl' | 'lease-reuse-duration-seconds'>;

/** Of the life of a key, that for which its lease is given to further keys at most, as in 1.32. */
const LARGEST_PART_SHARED = 0.05;
/** Milliseconds by which etcd may be late where a lease ends. */
const LATE = 30_000;

/** @returns undefined where nothing expires */
export function leaseTimes(flags: ExpiryFlags): LeaseTimes | undefined {
  if (flags['event-ttl'] === 0) return undefined;
  const life = Math.ceil(flags['event-ttl'] / 1_000);
  return { life, shared: Math.min(Math.floor(life * LARGEST_PART_SHARED), flags['lease-reuse-duration-seconds']) };
}

/**
 * @returns milliseconds after its last write when this server removes an object that expires; 0: never. In etcd leases end its life, and what is left to the server are
 * objects without one, as earlier releases have written them, and what etcd kept for longer because its leader has changed.
 */
export function expireAfter(flags: ExpiryFlags): number {
  const times = isInEtcd(flags) ? leaseTimes(flags) : undefined;
  return times === undefined ? flags['event-ttl'] : (times.life + times.shared) * 1_000 + LATE;
}
