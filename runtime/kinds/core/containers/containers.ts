/** The containers of a pod: regular ones, those that run before them, and those that are added to look into a running pod. */
import type { Container, ContainerPort, EphemeralContainer, SleepAction } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { numeric } from '../../../schema/scalar/raw-number.ts';
import { foundInEach, NONE } from '../../../validation/joined.ts';
import type { PodScope } from './pod-scope.ts';

type AnyContainer = Container | EphemeralContainer;

const ZERO_GATE = 'PodLifecycleSleepActionAllowZero';
const ZERO_HINT = '. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.';

/** A container that starts before the regular ones and stays. */
export const isSidecar = (container: { readonly restartPolicy?: string }): boolean => container.restartPolicy === 'Always';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

type ContainerLists = { readonly [List in (typeof CONTAINER_LISTS)[number]]?: readonly AnyContainer[] | null };

/** A container and where it stands; most are looked at without anybody asking for that. */
class ContainerPlace {
  readonly container: AnyContainer;
  readonly #list: string;
  readonly #index: number;

  constructor(container: AnyContainer, list: string, index: number) {
    this.container = container;
    this.#list = list;
    this.#index = index;
  }

  get path(): string {
    return `${this.#list}[${this.#index}]`;
  }
}

/** Every container of a spec: those that run before the others first, then regular ones, then ephemeral ones. @param path of the spec */
export function containersOf(spec: ContainerLists, path: string): ContainerPlace[] {
  const places: ContainerPlace[] = [];
  for (const name of CONTAINER_LISTS) {
    const list = spec[name] ?? NONE;
    for (let i = 0; i < list.length; i++) places.push(new ContainerPlace(list[i] as AnyContainer, `${path}.${name}`, i));
  }
  return places;
}

/** Whether something holds of a container. */
export function someContainer(spec: ContainerLists, holds: (container: AnyContainer) => boolean): boolean {
  for (const list of CONTAINER_LISTS) if (spec[list]?.some(holds) === true) return true;
  return false;
}

/** Regular containers run at the same time, and no two of them can have one port of the node. */
export function differentHostPorts(containers: readonly Container[]): readonly FieldError[] {
  const taken = new HostPorts();
  return foundInEach(containers, ({ ports }, index) => taken.take(ports, `[${index}]`));
}

/** Containers that run one after the other do not share ports. */
export function differentOwnHostPorts({ ports }: Container): readonly FieldError[] {
  return new HostPorts().take(ports, '');
}

class HostPorts {
  #taken: Set<string> | undefined;

  take(ports: Container['ports'], path: string): readonly FieldError[] {
    return foundInEach(ports, ({ protocol = '', hostIP = '', hostPort = 0 }, index) => {
      if (hostPort === 0) return NONE;
      this.#taken ??= new Set();
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (this.#taken.has(key)) return [duplicate(`${path}.ports[${index}].hostPort`, key)];
      this.#taken.add(key);
      return NONE;
    });
  }
}

/** A pod on its node's network has its ports there; a template may leave that to the pods' defaults. */
export function isPortOfContainer(
  hostPort: number,
  _old: unknown,
  _context: RuleContext,
  { podName }: PodScope,
  { containerPort }: ContainerPort,
): boolean {
  return hostPort === containerPort || (podName === undefined && hostPort === 0);
}

export function isNewName(name: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  return scope.takeName(name);
}

/** Its name is different from those of all others. */
export function isNewNameOfEphemeral(name: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  return !scope.isLastingName(name) && scope.takeName(name);
}

/** What an ephemeral container looks into is none of its kind. */
export function isLasting(name: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  return scope.isLastingName(name);
}

/** Of pods only: templates were once allowed images with blanks around them. */
export function isTrimmed(image: string): boolean {
  return image === image.trim();
}

/** A hook that sleeps ends while the container still has time to. It sleeps for no time behind a gate, or where one of the pod did before. */
export function sleepWithinGracePeriod(
  { seconds }: SleepAction,
  _old: unknown,
  context: RuleContext,
  { spec, old }: PodScope,
): readonly FieldError[] {
  const { terminationGracePeriodSeconds: period } = spec;
  if (period === undefined) return NONE;
  const sleep = numeric(seconds);
  const allowsZero = context.featureEnabled(ZERO_GATE) || (old !== undefined && someContainer(old, sleepsForNoTime));
  if (sleep >= (allowsZero ? 0 : 1) && sleep <= numeric(period)) return NONE;
  const [least, hint] = allowsZero ? ['non-negative', ''] : ['greater than 0', ZERO_HINT];
  return [invalid('', seconds ?? 0, `must be ${least} and less than terminationGracePeriodSeconds (${numeric(period)})${hint}`)];
}

const sleepsForNoTime = ({ lifecycle }: AnyContainer): boolean =>
  [lifecycle?.preStop, lifecycle?.postStart].some((hook) => hook?.sleep != null && numeric(hook.sleep.seconds) === 0);
