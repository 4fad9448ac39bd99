/** The volumes of a pod, as far as they depend on the pod. */
import type { Volume } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { dnsSubdomain } from '../../../formats/names.ts';
import { NONE } from '../../../validation/joined.ts';
import type { PodScope } from '../containers/pod-scope.ts';

/** Called for volumes with which nothing is wrong: containers mount no others. */
export function mountable(volume: Volume, _old: unknown, _context: RuleContext, scope: PodScope): readonly FieldError[] {
  scope.addVolume(volume);
  return NONE;
}

/** A name is taken by a volume with which nothing is wrong. */
export function isNew({ name }: Volume, _old: unknown, _context: RuleContext, scope: PodScope): readonly FieldError[] {
  return scope.volume(name) === undefined ? NONE : [duplicate('.name', name)];
}

/** The claim that is made for an ephemeral volume is named after the pod and the volume. */
export function claimName({ name, ephemeral }: Volume, _old: unknown, _context: RuleContext, { podName }: PodScope): readonly FieldError[] {
  if (ephemeral === undefined || !podName || !name) return NONE;
  const claim = `${podName}-${name}`;
  return dnsSubdomain(claim).map((message) => invalid('.name', name, `PVC name ${JSON.stringify(claim)}: ${message}`));
}

/** Claims that are made for the pod's ephemeral volumes are none of its other volumes. */
export function isOfOthers(claim: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  return !scope.makesClaim(claim);
}

/** A template may leave the image to whoever makes pods of it. */
export function isImage(reference: string, _old: unknown, _context: RuleContext, { podName }: PodScope): boolean {
  return reference !== '' || podName === undefined;
}
