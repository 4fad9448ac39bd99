import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { TableRowCondition } from '../../contract/table.ts';
import { bigintOf } from '../../schema/raw-number.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { validateImageSpaces } from './container-validation.ts';
import { eachItem } from './findings.ts';
import { alignAddresses } from './pod-addresses.ts';
import { validatePodAnnotations, validateProfileAgreement } from './pod-annotations.ts';
import { ephemeralContainers, resize } from './pod-parts.ts';
import { prepareNewPod } from './pod-prepare.ts';
import { validatePodSpec } from './pod-spec-validation.ts';
import { validatePodStatusUpdate } from './pod-status.ts';
import { validatePodUpdate } from './pod-update.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

function validate({ metadata, spec }: ApiObject, context: RuleContext): readonly FieldError[] {
  const given: Struct = spec ?? {};
  return joined(
    validatePodAnnotations(metadata.annotations, given, 'metadata.annotations', context),
    validatePodSpec(given, 'spec', { context, isPod: true, podName: metadata.name ?? '' }),
    validateTokens(given),
    eachItem(given.containers as readonly Struct[], 'spec.containers', validateImageSpaces),
    eachItem(given.initContainers as readonly Struct[] | undefined, 'spec.initContainers', validateImageSpaces),
  );
}

/** Tokens are of the pod's service account. */
function validateTokens({ serviceAccountName, volumes }: Struct): readonly FieldError[] {
  if (serviceAccountName) return NONE;
  return eachItem(volumes as readonly Struct[] | undefined, 'spec.volumes', ({ projected }, at) =>
    eachItem(projected?.sources as readonly Struct[] | undefined, `${at}.projected.sources`, ({ serviceAccountToken }, source) =>
      serviceAccountToken === undefined
        ? NONE
        : [forbidden(`${source}.serviceAccountToken`, 'must not be specified when serviceAccountName is not set')],
    ),
  );
}

/** What a new pod must not have: later, other parts of the system put it there. */
function validateNew(annotations: Record<string, string> | undefined, spec: Struct, context: RuleContext): readonly FieldError[] {
  return joined(
    (spec.ephemeralContainers ?? []).length > 0 ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')] : NONE,
    spec.nodeName && (spec.schedulingGates ?? []).length > 0
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : NONE,
    validateProfileAgreement(annotations, spec, 'spec', context),
  );
}

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
  defaults: alignAddresses,
  prepareForCreate: prepareNewPod,
  /** Nodes do not know their pods' owners, and old ones do not know the quality of service. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.ownerReferences === undefined) delete object.metadata.ownerReferences;
    else object.metadata.ownerReferences = old.metadata.ownerReferences;
    const qosClass: string | undefined = old.status?.qosClass;
    if (!object.status?.qosClass && qosClass) object.status = { ...object.status, qosClass };
  },
  validate,
  validateCreate: ({ metadata, spec }, context) => validateNew(metadata.annotations, spec ?? {}, context),
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  parts: { ephemeralcontainers: ephemeralContainers, resize },
  // Updates of pods come from controllers mostly: 1.32 says nothing of them.
  warnings: (object, old, context) => (old === undefined ? podTemplateWarnings(object, '', context) : []),
  gracePeriodSeconds,
  selectableField({ spec, status }, path) {
    if (path === 'spec.hostNetwork') return String(spec?.hostNetwork ?? false);
    if (path === 'status.podIP') return status?.podIPs?.[0]?.ip ?? '';
    return path === 'status.podIPs' ? '' : undefined;
  },
  rowConditions: ({ status }) => COMPLETED[status?.phase ?? ''],
};
