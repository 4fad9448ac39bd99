/** What a check of pod security is, and how checks word what they find: as 1.32 does. */
import type { Container, EphemeralContainer, PodSecurityContext, PodSpec, SecurityContext } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';

/** A pod, or the template of one, as checks look at it. Nobody changes it. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** those that run before the others first, then regular ones, then ephemeral ones */
  readonly containers: readonly (Container | EphemeralContainer)[];
  /** root in its containers is nobody on the node, and what that makes harmless is allowed (gate UserNamespacesPodSecurityStandards) */
  readonly hasOwnUsers: boolean;
  readonly text: Identity['text'];
}

export interface Violation {
  /** what stands for the check wherever many pods are spoken of */
  readonly reason: string;
  /** what of the pod it is */
  readonly detail: string;
}

/** @returns undefined for a pod that is as the check wants it. It reads nothing but the pod. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export interface Check {
  /** checks of one level are told in the order of these */
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** of a check of the level below, which this one makes needless */
  readonly overrides?: string;
  /** oldest first: what it looks at from a release 1.N on, until the next one */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
}

interface Owner {
  readonly securityContext?: PodSecurityContext | SecurityContext;
}
/** What pods and containers both have. */
export type SharedContext = Pick<
  SecurityContext,
  'appArmorProfile' | 'runAsNonRoot' | 'runAsUser' | 'seLinuxOptions' | 'seccompProfile' | 'windowsOptions'
>;

/** Names as `"a", "b"`. */
export const quoted = (names: readonly string[]): string => `"${names.join('", "')}"`;

/** What was found, in the order in which it is told. */
export const quotedSet = (names: ReadonlySet<string>): string => quoted([...names].sort());

/** `container "a"`, `containers "a", "b"`. */
export const named = (noun: string, names: readonly string[]): string => `${pluralOf(noun, names.length)} ${quoted(names)}`;

export const pluralOf = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);

/** Names of the containers whose own security context is bad; what has none is asked about as an empty one. */
export function containersWith({ containers }: CheckedPod, isBad: (context: SecurityContext) => boolean): string[] {
  return containers.filter(({ securityContext = {} }) => isBad(securityContext)).map(({ name }) => name);
}

/** Who sets what is bad: `pod`, `container "a"`, or both. @param isBad may note what it finds */
export function settersOf({ spec, containers }: CheckedPod, isBad: (context: SharedContext) => boolean): string[] {
  const sets = ({ securityContext }: Owner): boolean => securityContext !== undefined && isBad(securityContext);
  const ofPod = sets(spec) ? ['pod'] : [];
  const names = containers.filter(sets).map(({ name }) => name);
  return names.length === 0 ? ofPod : [...ofPod, named('container', names)];
}

export const isForWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === 'windows';
