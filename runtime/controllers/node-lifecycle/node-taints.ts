/** The taints that a node has for its conditions: which pods may come (NoSchedule), and whether pods must go (NoExecute). */
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import { deepEqual } from '../../schema/equal.ts';
import { nodeConditions, readyCondition } from './node-health.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/**
 * What becomes of the NoExecute taints of a node that is not ready: `keep` leaves it without one or swaps the wrong one for the right one,
 * `add` gives it the right one, `remove` takes both. A node that is ready has none.
 */
export type Execution = 'keep' | 'add' | 'remove';

const NOT_READY = 'node.${labelDomain}/not-ready';
const UNREACHABLE = 'node.${labelDomain}/unreachable';
const UNSCHEDULABLE = 'node.${labelDomain}/unschedulable';
const BY_CONDITION: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.${labelDomain}/memory-pressure'],
  ['DiskPressure', 'True', 'node.${labelDomain}/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.${labelDomain}/network-unavailable'],
  ['PIDPressure', 'True', 'node.${labelDomain}/pid-pressure'],
];

export class NodeTaints {
  readonly #byCondition: ReadonlyMap<string, string>;
  readonly #unschedulable: string;
  readonly #ours: ReadonlySet<string>;
  /** keys of NoExecute taints, by the status of the condition Ready */
  readonly #executing: ReadonlyMap<string, string>;

  constructor(text: (template: string) => string) {
    this.#byCondition = new Map(BY_CONDITION.map(([type, status, key]) => [`${type} ${status}`, text(key)]));
    this.#unschedulable = text(UNSCHEDULABLE);
    this.#ours = new Set([...this.#byCondition.values(), this.#unschedulable]);
    this.#executing = new Map([
      ['False', text(NOT_READY)],
      ['Unknown', text(UNREACHABLE)],
    ]);
  }

  /** Whether pods must go because the node is not ready, or cannot be reached. */
  executes(node: ApiObject): boolean {
    return taintsOf(node).some((taint) => this.#isExecuting(taint));
  }

  /**
   * @param now milliseconds since 1970, the time of taints that are added
   * @returns all taints that the node is to have; those that stay are as they were, and first
   */
  wanted(node: ApiObject, execution: Execution, now: number): readonly Taint[] {
    const taints = taintsOf(node);
    const scheduling = this.#scheduling(node).map((key) => ({ key, effect: 'NoSchedule' }));
    const ours = [...scheduling, ...this.#execution(node, execution, taints)];
    const isWanted = ({ key, effect }: Taint): boolean => ours.some((each) => each.key === key && each.effect === effect);
    const kept = taints.filter((taint) => isWanted(taint) || !this.#isOurs(taint));
    const added = ours.filter(({ key, effect }) => !kept.some((each) => each.key === key && each.effect === effect));
    return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: timestamp(now) }))];
  }

  /** Returns the keys of the NoSchedule taints that a node should have. */
  #scheduling(node: ApiObject): string[] {
    const keys = nodeConditions(node).flatMap(({ type, status }) => this.#byCondition.get(`${type} ${status}`) ?? []);
    return node.spec?.unschedulable === true ? [...keys, this.#unschedulable] : keys;
  }

  #execution(node: ApiObject, execution: Execution, taints: readonly Taint[]): Taint[] {
    if (execution === 'remove') return [];
    const ready = readyCondition(node);
    const present = taints.filter((taint) => this.#isExecuting(taint));
    if (ready === undefined) return present;
    const key = this.#executing.get(ready.status);
    return key === undefined || (present.length === 0 && execution === 'keep') ? [] : [{ key, effect: 'NoExecute' }];
  }

  #isOurs(taint: Taint): boolean {
    return (taint.effect === 'NoSchedule' && this.#ours.has(taint.key)) || this.#isExecuting(taint);
  }

  #isExecuting({ key, effect }: Taint): boolean {
    return effect === 'NoExecute' && [...this.#executing.values()].includes(key);
  }
}

export function taintsOf({ spec }: ApiObject): readonly Taint[] {
  return spec?.taints ?? [];
}

export function hasTaints(node: ApiObject, taints: readonly Taint[]): boolean {
  return deepEqual(taintsOf(node), taints);
}
