/** Holds pods against the checks of a level and a release. */

import type { PodSpec } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import type { Check, CheckedPod, CheckPod, Violation } from './check.ts';
import { appArmorProfile } from './checks/app-armor-profile.ts';
import { capabilitiesBaseline, capabilitiesRestricted } from './checks/capabilities.ts';
import { hostNamespaces } from './checks/host-namespaces.ts';
import { hostPorts } from './checks/host-ports.ts';
import { allowPrivilegeEscalation } from './checks/privilege-escalation.ts';
import { privileged } from './checks/privileged.ts';
import { procMount } from './checks/proc-mount.ts';
import { runAsNonRoot, runAsUser } from './checks/run-as.ts';
import { seLinuxOptions } from './checks/se-linux-options.ts';
import { seccompProfileBaseline, seccompProfileRestricted } from './checks/seccomp-profile.ts';
import { sysctls } from './checks/sysctls.ts';
import { hostPathVolumes, restrictedVolumes } from './checks/volumes.ts';
import { windowsHostProcess } from './checks/windows-host-process.ts';
import { type LevelVersion, minorOf } from './policy.ts';

/** Those of a level in the order of their names, the lower level first: so they are told. */
export const CHECKS: readonly Check[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  seLinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
];

/** A pod as it is stored or sent, or the template of one. */
export interface PodParts {
  readonly metadata?: Pick<ObjectMeta, 'annotations'> | undefined;
  readonly spec?: PodSpec | undefined;
}

export interface EvaluationParts {
  readonly identity: Pick<Identity, 'text'>;
  /** the latest one, such as 1.32 */
  readonly release: string;
  /** gate UserNamespacesPodSecurityStandards */
  readonly relaxesOwnUsers: boolean;
}

export class Evaluation {
  readonly #parts: EvaluationParts;
  readonly #latest: number;
  readonly #known = new Map<string, readonly CheckPod[]>();

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
    this.#latest = minorOf(`v${parts.release}`);
  }

  /** @returns what is wrong with a pod, in the order in which it is told; a release that is not there yet has the rules of the latest */
  violations(pod: PodParts, { level, version }: LevelVersion): readonly Violation[] {
    if (level === 'privileged') return [];
    const checked = this.#checked(pod);
    return this.#checksOf(level, Math.min(minorOf(version), this.#latest)).flatMap((check) => check(checked) ?? []);
  }

  #checked({ metadata, spec = { containers: [] } }: PodParts): CheckedPod {
    return {
      annotations: metadata?.annotations ?? {},
      spec,
      containers: [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])],
      hasOwnUsers: this.#parts.relaxesOwnUsers && spec.hostUsers === false,
      text: this.#parts.identity.text,
    };
  }

  #checksOf(level: Check['level'], minor: number): readonly CheckPod[] {
    const key = `${level}:${minor}`;
    let checks = this.#known.get(key);
    if (checks === undefined) {
      checks = checksOf(level, minor);
      this.#known.set(key, checks);
    }
    return checks;
  }
}

function checksOf(level: Check['level'], minor: number): CheckPod[] {
  const held = CHECKS.flatMap((check) => {
    const current = check.versions.findLast(({ since }) => since <= minor)?.check;
    return current === undefined || (check.level === 'restricted' && level === 'baseline') ? [] : [{ ...check, current }];
  });
  const overridden = new Set(held.map(({ overrides }) => overrides));
  return held.filter(({ id }) => !overridden.has(id)).map(({ current }) => current);
}

/** `privileged, hostPort`: of many pods. */
export const reasonsOf = (violations: readonly Violation[]): string => violations.map(({ reason }) => reason).join(', ');

/** `privileged (container "a" must not …), hostPort (…)`: of one pod. */
export const detailsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
