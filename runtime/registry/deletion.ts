/** How an object goes: grace period, finalizers, and what a delete asks for (specification: Two-phase deletion of any object). */
import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { newConflict } from '../status/status.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './registry.ts';
import { timestamp } from './strategy.ts';

export interface DeleteOptions {
  /** seconds, integer >= 0 */
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly orphanDependents?: boolean;
}

const ORPHAN_FINALIZER = 'orphan';
const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** @throws StatusError Conflict when the object is not the one that the client means */
export function preconditionConflict(resource: Resource, hub: Kind, object: ApiObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const name = object.metadata.name ?? '';
  const of = { group: resource.groupResource.group, resource: hub.kind };
  if (uid !== undefined && uid !== object.metadata.uid)
    throw newConflict(
      of,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${object.metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
    throw newConflict(
      of,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${object.metadata.resourceVersion}). The object might have been modified`,
    );
}

/**
 * Changes `object` into what is stored next.
 * @returns `remove`: nothing holds it; `markAndRemove`: the same, but watchers see the marks of a graceful deletion first; `marked`: it waits
 * for its grace period or its finalizers; `unchanged`: it waits already
 */
export function markForDeletion(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  options: DeleteOptions,
  context: RuleContext,
): 'remove' | 'markAndRemove' | 'marked' | 'unchanged' {
  const metadata = object.metadata;
  const finalizers = finalizersAfter(metadata.finalizers ?? [], options, resource.data.defaultPropagation);
  const finalizersChanged =
    finalizers.length !== (metadata.finalizers ?? []).length || finalizers.some((f, i) => f !== metadata.finalizers?.[i]);
  const grace = Math.max(0, hub.rules.gracePeriodSeconds?.(object, options.gracePeriodSeconds) ?? 0);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;

  const begins = metadata.deletionTimestamp === undefined;
  const held = finalizers.length > 0 || hub.rules.holdsDeletion?.(object) === true;
  // A kind without graceful deletion goes as it was: only what waits carries the marks of deletion.
  if (begins && !held && hub.rules.gracePeriodSeconds === undefined) return 'remove';
  if (begins) {
    metadata.deletionTimestamp = timestamp(context.now() + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
    // A kind that marks itself (namespaces) does not count its deletion as a change.
    if ((metadata.generation ?? 0) > 0 && hub.rules.prepareForDeletion === undefined)
      metadata.generation = (metadata.generation as number) + 1;
    hub.rules.prepareForDeletion?.(object);
  }
  const shortened = !begins && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  if (shortened) {
    metadata.deletionTimestamp = timestamp(context.now() + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
  }
  if (!held && (metadata.deletionGracePeriodSeconds ?? 0) === 0) return begins || shortened ? 'markAndRemove' : 'remove';
  return begins || shortened || finalizersChanged ? 'marked' : 'unchanged';
}

/** Orphaning and foreground deletion are finalizers that the garbage collector takes away again. */
function finalizersAfter(current: readonly string[], options: DeleteOptions, fallback: 'Orphan' | undefined): string[] {
  const policy = options.propagationPolicy ?? policyOf(options.orphanDependents) ?? fallback;
  if (policy === undefined) return [...current];
  const kept = current.filter((finalizer) => finalizer !== ORPHAN_FINALIZER && finalizer !== FOREGROUND_FINALIZER);
  if (policy === 'Orphan') kept.push(ORPHAN_FINALIZER);
  else if (policy === 'Foreground') kept.push(FOREGROUND_FINALIZER);
  return kept;
}

/** The older option of two values. */
function policyOf(orphanDependents: boolean | undefined): 'Orphan' | 'Background' | undefined {
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}
