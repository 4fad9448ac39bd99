import type { KindRules } from '../../../contract/kind-rules.ts';
import type { ApiObject } from '../../../contract/object.ts';
import type { TableRowCondition } from '../../../contract/table.ts';
import { bigintOf } from '../../../schema/scalar/raw-number.ts';
import { nameWarnings } from '../name-warnings.ts';
import { alignAddresses } from './pod-addresses.ts';
import { ephemeralContainers, resize } from './pod-parts.ts';
import { prepareNewPod } from './pod-prepare.ts';
import { defaultResources } from './pod-resources.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

/** A pod that runs nowhere, or has ended, need not wait; negative periods count as the shortest. */
function gracePeriodSeconds({ spec, status }: ApiObject, requested: bigint | undefined): bigint {
  const period = requested ?? bigintOf(spec?.terminationGracePeriodSeconds ?? 0);
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0n;
  return period < 0n ? 1n : period;
}

const COMPLETED: Readonly<Record<string, readonly TableRowCondition[]>> = {
  Succeeded: [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

export const rules: KindRules = {
  defaults(pod, gates) {
    alignAddresses(pod);
    defaultResources(pod.spec, gates);
  },
  prepareForCreate: prepareNewPod,
  /** Nodes do not know their pods' owners, and old ones do not know the quality of service. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.ownerReferences === undefined) delete object.metadata.ownerReferences;
    else object.metadata.ownerReferences = old.metadata.ownerReferences;
    const qosClass: string | undefined = old.status?.qosClass;
    if (!object.status?.qosClass && qosClass) object.status = { ...object.status, qosClass };
  },
  parts: { ephemeralcontainers: ephemeralContainers, resize },
  // Updates of pods come from controllers mostly: 1.32 says nothing of them.
  warnings: (object, old, context) =>
    old === undefined ? [...nameWarnings(object, old, "the Pod's hostname"), ...podTemplateWarnings(object, '', context)] : [],
  gracePeriodSeconds,
  selectableField({ spec, status }, path) {
    if (path === 'spec.hostNetwork') return String(spec?.hostNetwork ?? false);
    if (path === 'status.podIP') return status?.podIPs?.[0]?.ip ?? '';
    return path === 'status.podIPs' ? '' : undefined;
  },
  rowConditions: ({ status }) => COMPLETED[status?.phase ?? ''],
};
