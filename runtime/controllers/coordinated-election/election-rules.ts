/**
 * How the holder of a lease is chosen among its candidates (KEP-4355), as 1.32 does it: a step looks at what the lease and the candidates say at a moment, and
 * keeps nothing. Before a vote each candidate is asked whether it is alive, by its `pingTime`; a newer `renewTime` is its answer.
 */
import type { LeaseSpec } from '../../../generated/coordination/v1/types.ts';
import type { LeaseCandidateSpec } from '../../../generated/coordination/v1alpha2/types.ts';
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../formats/semantic-versions.ts';
import { formatMicroTime, instantOf } from '../../schema/scalar/time.ts';

/** Milliseconds that a candidate has for its answer, and for which an answer counts. */
const ANSWER_TIME = 5_000;
/** Milliseconds until a lease is looked at again, whatever happens to it meanwhile. */
export const NEXT_LOOK = 5_000;
/** Seconds for which a new holder has the lease before it renews it. */
const FIRST_DURATION = 5;
/** Milliseconds after its last answer until a candidate is none any longer; after half of that it is asked again, whoever holds the lease. */
export const CANDIDATE_LIFE = 30 * 60 * 1_000;

const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

export interface Candidate {
  readonly name: string;
  /** when it was created, by RFC 3339 */
  readonly created: string;
  readonly spec: LeaseCandidateSpec;
}

export interface ElectionStep<C extends Candidate> {
  /** the candidates to ask now whether they are alive */
  readonly asked: readonly C[];
  /** the new spec of the lease; absent if it does not change */
  readonly lease?: LeaseSpec;
  /** whether the lease is examined again after some time, even if nothing has changed */
  readonly again: boolean;
  /** why nobody can be chosen; absent if somebody can */
  readonly problem?: string;
}

/**
 * @param lease absent: there is none. @param all candidates for it, those that are none any longer too. @param now milliseconds since 1970
 */
export function electionStep<C extends Candidate>(lease: LeaseSpec | undefined, all: readonly C[], now: number): ElectionStep<C> {
  const candidates = all.filter((each) => !isCandidateOver(each.spec, now));
  if (candidates.length === 0) return { asked: [], again: false };
  const need = needOfElection(lease, candidates, now);
  if (need !== true) return { asked: [], again: true, ...(need !== false && { problem: need }) };
  const asked = candidates.filter(({ spec }) => isToBeAsked(spec, now));
  if (asked.length > 0 || candidates.some(({ spec }) => mayAnswer(spec, now) && answered(spec) < timeOf(spec.pingTime)))
    return { asked, again: true };
  // an answer of the very moment of the question is none that is sure
  if (candidates.some(({ spec }) => mayAnswer(spec, now) && answered(spec) <= timeOf(spec.pingTime))) return { asked, again: false };
  return vote(
    lease,
    candidates.filter(({ spec }) => answered(spec) + ANSWER_TIME > now),
    now,
  );
}

/** @returns why that cannot be said, where candidates do not agree */
function needOfElection(lease: LeaseSpec | undefined, candidates: readonly Candidate[], now: number): boolean | string {
  if (lease === undefined || isLeaseOver(lease, now) || !lease.holderIdentity) return true;
  if (candidates.some(({ spec }) => answered(spec) + CANDIDATE_LIFE / 2 < now)) return true;
  const { strategy, problem } = strategyOf(candidates);
  if (problem !== undefined) return problem;
  const best = strategy === OLDEST_EMULATION_VERSION ? oldestEmulationVersion(candidates) : undefined;
  return best !== undefined && best.name !== lease.holderIdentity;
}

/** A question that was not answered in time is not repeated: the candidate may say by itself that it is there. */
function isToBeAsked(spec: LeaseCandidateSpec, now: number): boolean {
  if (answered(spec) + ANSWER_TIME > now) return false;
  if (!spec.pingTime) return true;
  const asked = timeOf(spec.pingTime);
  return asked + ANSWER_TIME < now && asked < answered(spec);
}

const mayAnswer = ({ pingTime }: LeaseCandidateSpec, now: number): boolean => !!pingTime && timeOf(pingTime) + ANSWER_TIME > now;

/** Whether the controller has asked it, and it has said nothing since. */
export const isAsked = (spec: LeaseCandidateSpec): boolean => !!spec.pingTime && answered(spec) < timeOf(spec.pingTime);

function vote<C extends Candidate>(lease: LeaseSpec | undefined, voters: readonly C[], now: number): ElectionStep<C> {
  const { strategy, problem } = strategyOf(voters);
  if (problem !== undefined) return { asked: [], again: false, problem };
  const best = strategy === OLDEST_EMULATION_VERSION ? oldestEmulationVersion(voters) : undefined;
  if (best === undefined && strategy === OLDEST_EMULATION_VERSION)
    return { asked: [], again: false, problem: 'no candidate has versions that can be compared' };
  const changed = withHolder(lease, best?.name, strategy, now);
  return { asked: [], again: true, ...(changed && { lease: changed }) };
}

/** @param holder absent: somebody else chooses by that strategy. @returns undefined where the lease says so already */
function withHolder(lease: LeaseSpec | undefined, holder: string | undefined, strategy: string, now: number): LeaseSpec | undefined {
  const term = { leaseDurationSeconds: FIRST_DURATION, renewTime: microTime(now) };
  if (lease === undefined) return { ...(holder !== undefined && { holderIdentity: holder }), ...term, strategy };
  const isNewStrategy = lease.strategy !== strategy;
  if (holder !== undefined && holder !== lease.holderIdentity) {
    const { preferredHolder: _, acquireTime: __, ...rest } = lease;
    return !lease.holderIdentity || isLeaseOver(lease, now)
      ? { ...rest, holderIdentity: holder, ...term, strategy }
      : withPreference(lease, holder, strategy);
  }
  return isNewStrategy ? { ...lease, strategy } : undefined;
}

const withPreference = (lease: LeaseSpec, preferredHolder: string, strategy: string): LeaseSpec | undefined =>
  lease.preferredHolder === preferredHolder && lease.strategy === strategy ? undefined : { ...lease, preferredHolder, strategy };

/** That of the newest programs, which have to agree. */
function strategyOf(candidates: readonly Candidate[]): { readonly strategy: string; readonly problem?: string } {
  let newest = candidates[0];
  if (newest === undefined) return { strategy: '', problem: 'no candidate answers' };
  for (const each of candidates) {
    const order = compareSemanticVersions(versionOf(each.spec.binaryVersion), versionOf(newest.spec.binaryVersion));
    if (order > 0) newest = each;
    else if (order === 0 && each.spec.strategy !== newest.spec.strategy) {
      const [one, other] = [newest, each].map(({ name, spec }) => `${JSON.stringify(name)} wants ${spec.strategy}`);
      return { strategy: '', problem: `candidates of one version do not agree on a strategy: ${one}, ${other}` };
    }
  }
  return { strategy: newest.spec.strategy };
}

/**
 * Chooses the candidate that behaves like the oldest release; of several, the one with the oldest program; and of several of these, the one that was created
 * first.
 */
function oldestEmulationVersion<C extends Candidate>(candidates: readonly C[]): C | undefined {
  let best: C | undefined;
  for (const each of candidates) {
    const hasVersions = [each.spec.emulationVersion, each.spec.binaryVersion].every(
      (text) => parseSemanticVersion(text ?? '') !== undefined,
    );
    if (hasVersions && (best === undefined || isBetter(each, best))) best = each;
  }
  return best;
}

function isBetter(one: Candidate, other: Candidate): boolean {
  const order =
    compareSemanticVersions(versionOf(one.spec.emulationVersion), versionOf(other.spec.emulationVersion)) ||
    compareSemanticVersions(versionOf(one.spec.binaryVersion), versionOf(other.spec.binaryVersion));
  return order !== 0 ? order < 0 : Date.parse(one.created) < Date.parse(other.created);
}

const LOWEST: SemanticVersion = { numbers: [0, 0, 0], preRelease: [] };

const versionOf = (text: string | undefined): SemanticVersion => parseSemanticVersion(text ?? '') ?? LOWEST;

/** One that does not say until when it is held is not. */
function isLeaseOver({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean {
  return !renewTime || leaseDurationSeconds === undefined || timeOf(renewTime) + leaseDurationSeconds * 1_000 < now;
}

/** @param now milliseconds since 1970 */
export function isCandidateOver({ renewTime }: LeaseCandidateSpec, now: number): boolean {
  return !renewTime || timeOf(renewTime) + CANDIDATE_LIFE < now;
}

const answered = ({ renewTime }: LeaseCandidateSpec): number => timeOf(renewTime);

/** Milliseconds since 1970, with parts of them; a time that is missing lies before all others. */
function timeOf(text: string | null | undefined): number {
  if (!text) return Number.NEGATIVE_INFINITY;
  const { seconds, nanos } = instantOf(text);
  return seconds * 1_000 + nanos / 1_000_000;
}

/** @param now milliseconds since 1970 */
export const microTime = (now: number): string =>
  formatMicroTime({ seconds: Math.floor(now / 1_000), nanos: Math.floor(now % 1_000) * 1_000_000 });
