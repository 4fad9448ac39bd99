/** The volumes of a pod, as far as they depend on the pod. */
import type { ImageVolumeSource, PodSpec, Volume } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { foundInEach, NONE } from '../joined.ts';
import type { PodScope } from './pod-scope.ts';

/** Called for volumes with which nothing is wrong: containers mount no others. */
export function mountable(volume: Volume, _old: unknown, _context: RuleContext, scope: PodScope): readonly FieldError[] {
  scope.addVolume(volume);
  return NONE;
}

/** The claim that is made for an ephemeral volume is named after the pod and the volume. */
export function claimName({ name, ephemeral }: Volume, _old: unknown, _context: RuleContext, { podName }: PodScope): readonly FieldError[] {
  if (ephemeral === undefined || !podName || !name) return NONE;
  const claim = `${podName}-${name}`;
  return dnsSubdomain(claim).map((message) => invalid('.name', name, `PVC name ${JSON.stringify(claim)}: ${message}`));
}

/** Claims that are made for the pod's ephemeral volumes are none of its other volumes. */
export function claimsOfOthers({ volumes }: PodSpec, _old: unknown, _context: RuleContext, { podName }: PodScope): readonly FieldError[] {
  if (!podName || volumes?.some(({ ephemeral }) => ephemeral !== undefined) !== true) return NONE;
  const made = new Set(volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`));
  const detail = 'must not reference a PVC that gets created for an ephemeral volume';
  return foundInEach(volumes, ({ persistentVolumeClaim }, index) => {
    const claim = persistentVolumeClaim?.claimName;
    if (claim === undefined || !made.has(claim)) return NONE;
    return [invalid(`.volumes[${index}].persistentVolumeClaim.claimName`, claim, detail)];
  });
}

/** A template may leave the image to whoever makes pods of it. */
export function imageReference(
  { reference }: ImageVolumeSource,
  _old: unknown,
  _context: RuleContext,
  { podName }: PodScope,
): readonly FieldError[] {
  return reference || podName === undefined ? NONE : [required('.reference')];
}
