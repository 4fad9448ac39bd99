/** What rules about the parts of a pod need to know of the pod. */
import type { Pod, PodSpec, TopologySpreadConstraint, Volume } from '../../../../generated/core/v1/types.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';

/** A spec, and what its rules have found out about it by now: nothing is made before somebody asks for it. */
export class PodScope {
  readonly spec: PodSpec;
  /** what the spec was before, where it changes */
  readonly old: PodSpec | undefined;
  /** of a pod, '' while it has none; undefined in a template of pods */
  readonly podName: string | undefined;
  #volumes: Map<string, Volume> | undefined;
  #madeClaims: ReadonlySet<string> | undefined;
  #names: Set<string> | undefined;
  #regular: ReadonlySet<string> | undefined;
  #lastSpreads: ReadonlyMap<string, TopologySpreadConstraint> | undefined;

  constructor(spec: PodSpec, podName: string | undefined, old: PodSpec | undefined) {
    this.spec = spec;
    this.podName = podName;
    this.old = old;
  }

  /** A volume with which nothing is wrong, for the containers that mount it. */
  addVolume(volume: Volume): void {
    this.#volumes ??= new Map();
    this.#volumes.set(volume.name, volume);
  }

  volume(name: string): Volume | undefined {
    return this.#volumes?.get(name);
  }

  /** Whether the claim is one that is made for an ephemeral volume: it is named after the pod and the volume. */
  makesClaim(name: string): boolean {
    this.#madeClaims ??= madeClaims(this.spec.volumes, this.podName);
    return this.#madeClaims.has(name);
  }

  /** @returns false where a container that was looked at before, or a regular one, has the name; '' is nobody's */
  takeName(name: string): boolean {
    this.#names ??= new Set((this.spec.containers ?? []).map((container) => container.name));
    if (this.#names.has(name)) return false;
    if (name !== '') this.#names.add(name);
    return true;
  }

  /** Whether a later constraint of the spec spreads over the same places in the same way. @param constraint one of the spec */
  repeatsSpread(constraint: TopologySpreadConstraint): boolean {
    const all = this.spec.topologySpreadConstraints ?? [];
    if (all.length < 2) return false;
    this.#lastSpreads ??= new Map(all.map((each) => [spreadOf(each), each]));
    return this.#lastSpreads.get(spreadOf(constraint)) !== constraint;
  }

  /** Whether a container has the name that is no ephemeral one. */
  isLastingName(name: string): boolean {
    this.#regular ??= new Set([...(this.spec.containers ?? []), ...(this.spec.initContainers ?? [])].map((container) => container.name));
    return this.#regular.has(name);
  }
}

const spreadOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey ?? '', whenUnsatisfiable ?? '']);

const NO_CLAIMS: ReadonlySet<string> = new Set();

function madeClaims(volumes: PodSpec['volumes'], podName: string | undefined): ReadonlySet<string> {
  if (!podName || volumes?.some(isMade) !== true) return NO_CLAIMS;
  return new Set(volumes.filter(isMade).map(({ name }) => `${podName}-${name}`));
}

const isMade = ({ ephemeral }: Volume): boolean => ephemeral !== undefined;

/** @returns the pod's name, which is all that its spec has to know of it */
export const ofPod = ({ metadata }: Pod): string => metadata?.name ?? '';

/** Templates have no name. What encloses one is nothing to its spec. */
export const ofTemplate = (): undefined => undefined;

/** @param podName undefined in a template */
export function ofSpec(spec: PodSpec, old: PodSpec | undefined, _context: RuleContext, podName: string | undefined): PodScope {
  return new PodScope(spec, podName, old);
}
