/** How long expiring objects, such as events, are kept. */
import type { LeaseTimes } from '../../storage/etcd/shared-leases.ts';
import { isInEtcd } from './etcd-flags.ts';
import type { Flags } from './flags.ts';

type ExpiryFlags = Pick<Flags, 'etcd-servers' | 'event-ttl' | 'lease-reuse-duration-seconds'>;

/** The part of a key's life for which its lease is shared with later keys at most, as in 1.32. */
const LARGEST_PART_SHARED = 0.05;
/** Milliseconds by which etcd may delete the keys of a lease too late. */
const LATE = 30_000;

/** @returns undefined if nothing expires. `life` and `shared` are in seconds */
export function leaseTimes(flags: ExpiryFlags): LeaseTimes | undefined {
  if (flags['event-ttl'] === 0) return undefined;
  const life = Math.ceil(flags['event-ttl'] / 1_000);
  return { life, shared: Math.min(Math.floor(life * LARGEST_PART_SHARED), flags['lease-reuse-duration-seconds']) };
}

/**
 * @returns milliseconds after the last write of an expiring object when this server deletes it; 0: never. In etcd, leases delete objects.
 * The server deletes only objects without a lease, as earlier releases wrote them, and those that etcd keeps longer because its leader has
 * changed.
 */
export function expireAfter(flags: ExpiryFlags): number {
  const times = isInEtcd(flags) ? leaseTimes(flags) : undefined;
  return times === undefined ? flags['event-ttl'] : (times.life + times.shared) * 1_000 + LATE;
}
