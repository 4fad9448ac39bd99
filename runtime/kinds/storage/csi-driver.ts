import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { numeric } from '../../schema/raw-number.ts';
import { eachItem, oneOf } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const SELINUX_GATE = 'SELinuxMountReadWriteOncePod';

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

function validate({ spec }: ApiObject, context: RuleContext): readonly FieldError[] {
  const modes: readonly string[] = spec.volumeLifecycleModes ?? [];
  return [
    ...(spec.attachRequired === undefined ? [required('spec.attachedRequired')] : []),
    ...(spec.podInfoOnMount === undefined ? [required('spec.podInfoOnMount')] : []),
    ...(spec.storageCapacity === undefined ? [required('spec.storageCapacity')] : []),
    ...oneOf(spec.fsGroupPolicy, 'spec.fsGroupPolicy', GROUP_POLICIES),
    ...validateTokenRequests(spec.tokenRequests, 'spec.tokenRequests'),
    ...modes
      .filter((mode) => !LIFECYCLE_MODES.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ...(spec.seLinuxMount === undefined && context.featureEnabled(SELINUX_GATE) ? [required('spec.seLinuxMount')] : []),
  ];
}

/** One token for each audience; the empty one is that of the server, and counts too. */
function validateTokenRequests(requests: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  const audiences = new Set<string>();
  return eachItem(requests, path, ({ audience = '', expirationSeconds: seconds }, at) => {
    if (audiences.has(audience)) return [duplicate(`${at}.audience`, audience)];
    audiences.add(audience);
    if (seconds === undefined) return [];
    if (numeric(seconds) < MIN_TOKEN_SECONDS)
      return [invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')];
    return numeric(seconds) > MAX_TOKEN_SECONDS
      ? [invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : [];
  });
}

export const rules: KindRules = {
  prepareForUpdate(object, old) {
    // The first generation is what the creator said, as a rule none.
    if (!deepEqual(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate,
  validateUpdate: ({ spec }, old) => [
    // 1.32 spells the member so in paths.
    ...unchanged(spec.attachRequired, old.spec.attachRequired, 'spec.attachedRequired'),
    ...unchanged(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
  ],
};
