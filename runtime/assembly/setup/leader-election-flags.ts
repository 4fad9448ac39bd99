/** Reads from flags where the lease of the leader is, and its times. */
import { type LeaseTimes, problemOfTimes } from '../../client/leader-election/lease-election.ts';
import type { LeasePlace } from '../../controllers/election/leader-lease.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { isInEtcd } from './etcd-flags.ts';
import type { Flags } from './flags.ts';

export interface LeaderElectionSettings extends LeasePlace, LeaseTimes {}

/** Flags by the names of the settings, with which the messages of `problemOfTimes` begin. */
const FLAGS = {
  leaseDuration: 'leader-elect-lease-duration',
  renewDeadline: 'leader-elect-renew-deadline',
  retryPeriod: 'leader-elect-retry-period',
} as const;

/**
 * @returns undefined if there is no election: the store belongs to this server alone, or --leader-elect=false has each server run all
 * controllers.
 * @throws Error that names the flag
 */
export function leaderElection(flags: Flags): LeaderElectionSettings | undefined {
  if (!isInEtcd(flags) || !flags['leader-elect']) return undefined;
  const times = {
    leaseDuration: flags[FLAGS.leaseDuration],
    renewDeadline: flags[FLAGS.renewDeadline],
    retryPeriod: flags[FLAGS.retryPeriod],
  };
  const problem = problemOfTimes(times);
  if (problem !== undefined) throw new Error(`--${FLAGS[problem.split(' ')[0] as keyof typeof FLAGS]}: ${problem}`);
  return {
    ...times,
    name: named(flags, 'leader-elect-resource-name', dnsSubdomain),
    namespace: named(flags, 'leader-elect-resource-namespace', dnsLabel),
  };
}

const COORDINATION_FLAGS = {
  leaseDuration: 'coordinated-leadership-lease-duration',
  renewDeadline: 'coordinated-leadership-renew-deadline',
  retryPeriod: 'coordinated-leadership-retry-period',
} as const;

/**
 * Times of the lease by which servers elect the one that elects among LeaseCandidates.
 * @throws Error in the words of 1.32, which checks their order even if the feature gate is off
 */
export function coordinationTimes(flags: Flags): LeaseTimes {
  const { leaseDuration, renewDeadline, retryPeriod } = COORDINATION_FLAGS;
  for (const [longer, shorter] of [
    [leaseDuration, renewDeadline],
    [renewDeadline, retryPeriod],
  ] as const)
    if (flags[longer] <= flags[shorter]) throw new Error(`--${longer} must be greater than --${shorter}`);
  return { leaseDuration: flags[leaseDuration], renewDeadline: flags[renewDeadline], retryPeriod: flags[retryPeriod] };
}

/** @throws Error that names the flag, for times with which no election can succeed; 1.32 starts with such times but elects nobody */
export function coordinationElection(flags: Flags, namespace: string, name: string): LeaderElectionSettings {
  const times = coordinationTimes(flags);
  const problem = problemOfTimes(times);
  if (problem !== undefined) throw new Error(`--${COORDINATION_FLAGS[problem.split(' ')[0] as keyof typeof FLAGS]}: ${problem}`);
  return { ...times, name, namespace };
}

type NameFlag = 'leader-elect-resource-name' | 'leader-elect-resource-namespace';

function named(flags: Flags, flag: NameFlag, problemsOf: (value: string) => readonly string[]): string {
  const value = flags[flag];
  const [problem] = problemsOf(value);
  if (problem !== undefined) throw new Error(`--${flag}: ${JSON.stringify(value)}: ${problem}`);
  return value;
}
