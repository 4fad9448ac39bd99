/** What a delete does to an object: grace period, finalizers, propagation (specification: Two-phase deletion of any object). */
import type { DeletionOptions, PropagationPolicy, RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { bigintOf, integerOf, type RawNumber } from '../../schema/scalar/raw-number.ts';
import { newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../resources/resource.ts';
import type { VersionCondition } from './resource-version.ts';
import { timestamp } from './strategy.ts';

export interface DeleteOptions extends DeletionOptions {
  /** seconds, an integer of 64 bits; a negative one counts as 1 */
  readonly gracePeriodSeconds?: number | RawNumber;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** the resourceVersions that may be deleted; default: all */
  readonly condition?: VersionCondition | undefined;
}

/** What flags say of deletions. */
export interface DeletionSettings {
  /** whether a garbage collector runs; without one no delete sets or removes the finalizers that stand for a propagation policy */
  readonly collectsGarbage: boolean;
  /** how many objects of a collection are examined at a time; at least 1 */
  readonly collectionWorkers: number;
  /** milliseconds from the last write of an object until it expires, where its resource expires; 0: never */
  readonly expireAfter: number;
}

/** Finalizers that stand for a propagation policy. The garbage collector removes them when dependents have lost this owner, or are gone. */
export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** @throws StatusError Conflict when the object is not the one that the client means */
export function preconditionConflict(resource: Resource, hub: Kind, object: ApiObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { uid: actualUid, resourceVersion: actualVersion, name = '' } = object.metadata;
  if (options.condition?.(actualVersion) === false) throw newConflict(resource.groupResource, name, OBJECT_MODIFIED);
  if (uid !== undefined && uid !== actualUid)
    throw conflict(resource, hub, name, [
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actualUid}`,
      `the UID in the precondition (${uid}) does not match the UID in record (${actualUid}). The object might have been deleted and then recreated`,
    ]);
  if (resourceVersion !== undefined && resourceVersion !== actualVersion)
    throw conflict(resource, hub, name, [
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actualVersion}`,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actualVersion}). The object might have been modified`,
    ]);
}

/**
 * Makes the error for a precondition that does not hold. As in 1.32, kinds whose first delete only marks objects have one text, and other kinds have another
 * one, which names the kind instead of the resource.
 */
function conflict({ groupResource }: Resource, hub: Kind, name: string, [ofMarking, ofOthers]: readonly [string, string]) {
  return marksItself(hub)
    ? newConflict(groupResource, name, ofMarking)
    : newConflict({ group: hub.group, resource: hub.kind }, name, ofOthers);
}

/**
 * What a delete does to an object:
 *   remove         removes it: nothing holds it
 *   release        removes it as it is stored: only a finalizer of a policy held it, which this delete takes away
 *   markAndRemove  marks and removes it: its grace period is 0, and watchers see the marks before it goes
 *   marked         marks it: it waits for its grace period or its finalizers
 *   unchanged      nothing: it waits already, and this delete changes nothing about that
 *   pending        nothing: it waits for its grace period, which this delete does not shorten; admission is not asked either
 */
export type DeletionStep = 'remove' | 'release' | 'markAndRemove' | 'marked' | 'unchanged' | 'pending';

/** Decides what a delete does. Changes `object` to what is stored next, for the steps that store something. */
export function markForDeletion(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  options: DeleteOptions,
  context: RuleContext,
  { collectsGarbage }: Pick<DeletionSettings, 'collectsGarbage'>,
): DeletionStep {
  const { metadata } = object;
  if (marksItself(hub)) {
    if (metadata.deletionTimestamp === undefined) return markOnly(resource, hub, object, options, context);
    if (hub.rules.holdsDeletion?.(object) === true) return 'pending';
  }
  const grace = takeGrace(hub, object, options, context);
  if (grace === 'pending') return 'pending';
  const policyTaken = collectsGarbage && takePolicy(metadata, finalizersAfter(metadata.finalizers ?? [], policyOf(options), resource));
  const changed = policyTaken || grace !== undefined;
  if ((metadata.finalizers ?? []).length > 0) {
    const marked = grace === undefined && markWithoutGrace(metadata, context);
    return changed || marked ? 'marked' : 'unchanged';
  }
  if (grace !== undefined) return grace > 0n ? 'marked' : 'markAndRemove';
  return policyTaken ? 'release' : 'remove';
}

/** Whether the first delete of such an object only marks it, so that something else, such as a controller, lets it go. */
function marksItself(hub: Kind): boolean {
  return hub.rules.prepareForDeletion !== undefined;
}

function markOnly(resource: Resource, hub: Kind, object: ApiObject, options: DeleteOptions, context: RuleContext): DeletionStep {
  const { metadata } = object;
  metadata.deletionTimestamp = timestamp(context.now());
  // As in 1.32, a kind that its content holds takes the propagation policy with these marks, and another kind with the delete that follows.
  if (hub.rules.holdsDeletion !== undefined) {
    // Only here 1.32 reads `orphanDependents: false` as Foreground.
    const policy = options.orphanDependents === false ? 'Foreground' : policyOf(options);
    if (policy !== undefined) takePolicy(metadata, finalizersAfter(metadata.finalizers ?? [], policy, resource));
  }
  hub.rules.prepareForDeletion?.(object);
  return 'marked';
}

/**
 * Begins a graceful deletion, or shortens one that is under way.
 * @returns its seconds where they are new, `pending` where they stay as they are, undefined where the deletion is not graceful or its time is up
 */
function takeGrace({ rules }: Kind, object: ApiObject, options: DeleteOptions, context: RuleContext): bigint | 'pending' | undefined {
  if (rules.gracePeriodSeconds === undefined) return undefined;
  const { metadata } = object;
  const requested = requestedGrace(options);
  if (metadata.deletionTimestamp === undefined) {
    const seconds = rules.gracePeriodSeconds(object, requested);
    metadata.deletionTimestamp = timestamp(later(context.now(), seconds));
    metadata.deletionGracePeriodSeconds = integerOf(seconds);
    countGeneration(metadata);
    return seconds;
  }
  const current = bigintOf(metadata.deletionGracePeriodSeconds ?? 0);
  if (current === 0n) return undefined;
  if (requested === undefined || requested >= current) return 'pending';
  metadata.deletionTimestamp = timestamp(later(later(Date.parse(metadata.deletionTimestamp), -current), requested));
  metadata.deletionGracePeriodSeconds = integerOf(requested);
  return requested;
}

/** Options of a delete that the server has chosen. */
export type TakenOptions = Pick<DeleteOptions, 'gracePeriodSeconds' | 'preconditions'>;

/**
 * What a delete takes for options that the client has not stated, or has stated otherwise, which admission is shown as in 1.32: the grace period that a kind
 * has chosen, 1 for a negative one, and that an object which is marked first must not be another one when it is removed.
 * @param marked `old` as `markForDeletion` has changed it
 */
export function takenOptions(hub: Kind, old: ApiObject, marked: ApiObject, options: DeleteOptions): TakenOptions {
  const isBegun = hub.rules.gracePeriodSeconds !== undefined && old.metadata.deletionTimestamp === undefined;
  const grace = isBegun ? marked.metadata.deletionGracePeriodSeconds : requestedSeconds(options);
  const { uid } = old.metadata;
  return {
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...(marksItself(hub) && uid !== undefined && { preconditions: { uid, ...options.preconditions } }),
  };
}

function requestedSeconds(options: DeleteOptions): number | RawNumber | undefined {
  const seconds = requestedGrace(options);
  return seconds === undefined ? undefined : integerOf(seconds);
}

function requestedGrace({ gracePeriodSeconds }: DeleteOptions): bigint | undefined {
  if (gracePeriodSeconds === undefined) return undefined;
  const seconds = bigintOf(gracePeriodSeconds);
  return seconds < 0n ? 1n : seconds;
}

/** Returns a time that is a number of seconds later. As in 1.32, the seconds become nanoseconds of 64 bits, which may overflow. */
function later(milliseconds: number, seconds: bigint): number {
  return milliseconds + Number(BigInt.asIntN(64, seconds * 1_000_000_000n) / 1_000_000n);
}

/** Marks an object for deletion that its finalizers keep. @returns whether that has changed it */
function markWithoutGrace(metadata: ObjectMeta, context: RuleContext): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const begins = deletionTimestamp === undefined;
  if (begins) countGeneration(metadata);
  if (begins || Date.parse(deletionTimestamp) > context.now()) metadata.deletionTimestamp = timestamp(context.now());
  metadata.deletionGracePeriodSeconds = 0;
  return metadata.deletionTimestamp !== deletionTimestamp || deletionGracePeriodSeconds !== 0;
}

/**
 * Counts the generation up, for the wanted state of the object changes. Where a kind does not count its generation, the client has sent it, and it may have up
 * to 64 bits.
 */
function countGeneration(metadata: ObjectMeta): void {
  const next = BigInt.asIntN(64, bigintOf(metadata.generation ?? 0) + 1n);
  // A generation that wraps around could never be updated again.
  if (next > 1n) metadata.generation = integerOf(next) as number;
}

/** The policy that a delete asks for, by either of two options. */
function policyOf({ propagationPolicy, orphanDependents }: DeleteOptions): PropagationPolicy | undefined {
  if (orphanDependents === undefined) return propagationPolicy;
  return orphanDependents ? 'Orphan' : 'Background';
}

/**
 * The finalizers after a delete. Where the delete asks for no policy, a policy finalizer of the object stays in force, and without one the default of the
 * resource counts.
 */
function finalizersAfter(current: readonly string[], asked: PropagationPolicy | undefined, { data }: Resource): readonly string[] {
  if (data.defaultPropagation === 'Unsupported') return current.filter(isNotPolicy);
  const finalizer =
    asked === undefined
      ? (current.find((each) => !isNotPolicy(each)) ?? FINALIZERS[data.defaultPropagation ?? 'Background'])
      : FINALIZERS[asked];
  const others = current.filter(isNotPolicy);
  return finalizer === undefined ? others : [...others, finalizer];
}

const FINALIZERS: Readonly<Record<PropagationPolicy, string | undefined>> = {
  Orphan: ORPHAN_FINALIZER,
  Foreground: FOREGROUND_FINALIZER,
  Background: undefined,
};

const isNotPolicy = (finalizer: string): boolean => finalizer !== ORPHAN_FINALIZER && finalizer !== FOREGROUND_FINALIZER;

/** Sets finalizers. They are a set: where only the order differs, the stored order stays. @returns whether they changed */
function takePolicy(metadata: ObjectMeta, finalizers: readonly string[]): boolean {
  const current = new Set(metadata.finalizers ?? []);
  if (current.size === new Set(finalizers).size && finalizers.every((finalizer) => current.has(finalizer))) return false;
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
  return true;
}
