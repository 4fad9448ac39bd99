/** Filters of the calls that containers may make to the kernel of the node. */

import { goQuote } from '../../../go-text/quote.ts';
import { SECCOMP_CONTAINER, SECCOMP_POD } from '../../../kinds/core/pods/pod-annotations.ts';
import {
  type Check,
  type CheckedPod,
  type CheckPod,
  containersWith,
  isForWindows,
  named,
  pluralOf,
  quotedSet,
  settersOf,
  type Violation,
} from '../check.ts';

const REASON = 'seccompProfile';
const isFilter = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';
const isFilterName = (name: string): boolean => name === 'runtime/default' || name === 'docker/default' || name.startsWith('localhost/');

/** Before there were fields. */
const checkAnnotations: CheckPod = ({ annotations, containers, text }) => {
  const keys = new Set([text(SECCOMP_POD), ...containers.map(({ name }) => `${text(SECCOMP_CONTAINER)}${name}`)]);
  const wrong = [...keys].flatMap((key) => {
    const name = annotations[key];
    return name === undefined || isFilterName(name) ? [] : [`${key}=${goQuote(name)}`];
  });
  if (wrong.length === 0) return undefined;
  return { reason: REASON, detail: `forbidden ${pluralOf('annotation', wrong.length)} ${wrong.sort().join(', ')}` };
};

const checkFields: CheckPod = (pod) => {
  const types = new Set<string>();
  const setters = settersOf(pod, ({ seccompProfile }) => {
    if (seccompProfile === undefined || isFilter(seccompProfile.type)) return false;
    types.add(seccompProfile.type);
    return true;
  });
  if (setters.length === 0) return undefined;
  return { reason: REASON, detail: `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${quotedSet(types)}` };
};

export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: checkAnnotations },
    { since: 19, check: checkFields },
  ],
};

function missing(pod: CheckedPod): Violation | undefined {
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const names = containersWith(pod, ({ seccompProfile }) => seccompProfile === undefined);
  if (names.length === 0) return undefined;
  const detail = `pod or ${named('container', names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: REASON, detail };
}

const checkRestricted: CheckPod = (pod) => checkFields(pod) ?? missing(pod);

export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  overrides: seccompProfileBaseline.id,
  versions: [
    { since: 19, check: checkRestricted },
    { since: 25, check: (pod) => (isForWindows(pod) ? undefined : checkRestricted(pod)) },
  ],
};
