/** Volumes that an attachment declares itself: those that pods declare in place, after their translation to a CSI driver. */
import { type FieldError, forbidden, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { validateVolumeSource } from '../core/persistent-volume-sources.ts';
import { validateAccessModes } from '../core/volume-claim-spec.ts';
import type { Struct } from '../struct.ts';

const IN_CONTEXT = 'in the context of inline volumes';
const NOT_HERE = `may not be specified ${IN_CONTEXT}`;

/** @param spec that of a persistent volume */
export function validateInlineVolume(spec: Struct, path: string, context: RuleContext): FieldError[] {
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const absent = (member: string, given: boolean): FieldError[] => (given ? [forbidden(`${path}.${member}`, NOT_HERE)] : []);
  return [
    ...absent('claimRef', spec.claimRef !== undefined),
    ...absent('capacity', Object.keys(spec.capacity ?? {}).length > 0),
    ...(spec.csi === undefined ? [required(`${path}.csi`, `has to be specified ${IN_CONTEXT}`)] : []),
    ...((spec.accessModes ?? []).length > 0 ? [] : [required(`${path}.accessModes`)]),
    ...validateAccessModes(spec.accessModes, `${path}.accessModes`),
    ...(policy && policy !== 'Retain' ? [forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${IN_CONTEXT}`)] : []),
    ...absent('nodeAffinity', spec.nodeAffinity !== undefined),
    ...validateVolumeSource(spec, path, '', context),
    ...absent('storageClassName', Boolean(spec.storageClassName)),
    ...(volumeMode !== undefined && volumeMode !== 'Filesystem'
      ? [forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${IN_CONTEXT}`)]
      : []),
  ];
}
