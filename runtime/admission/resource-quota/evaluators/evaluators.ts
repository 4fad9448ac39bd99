/** How objects of each resource are counted. */
import type { Resource } from '../../../registry/resources/resource.ts';
import type { GroupResource } from '../../../status/status.ts';
import type { Evaluator, EvaluatorParts } from '../evaluator.ts';
import { objectCounts } from './object-counts.ts';
import { persistentVolumeClaims } from './persistent-volume-claims.ts';
import { pods } from './pods.ts';
import { resourceClaims } from './resource-claims.ts';
import { services } from './services.ts';

/** Whether quotas may be about objects of a resource: those that go by themselves are not counted, and what is not stored cannot be. */
export function isCounted({ data }: Pick<Resource, 'data'>): boolean {
  return data.scope === 'Namespaced' && data.storage !== undefined && data.expires !== true;
}

export class Evaluators {
  readonly #known: Map<string, Evaluator>;
  /** resources with rules of their own */
  readonly special: readonly GroupResource[];

  constructor(parts: EvaluatorParts) {
    const core = (resource: string): GroupResource => ({ group: '', resource });
    const special: [GroupResource, Evaluator][] = [
      [core('pods'), pods(parts)],
      [core('services'), services()],
      [core('persistentvolumeclaims'), persistentVolumeClaims(parts)],
    ];
    if (parts.featureEnabled('DynamicResourceAllocation'))
      special.push([{ group: parts.text('resource.${groupDomain}'), resource: 'resourceclaims' }, resourceClaims(parts)]);
    this.special = special.map(([resource]) => resource);
    this.#known = new Map(special.map(([resource, evaluator]) => [keyOf(resource), evaluator]));
  }

  /** Returns the evaluator of a resource, which is the same each time. */
  of(resource: GroupResource): Evaluator {
    const key = keyOf(resource);
    let evaluator = this.#known.get(key);
    if (evaluator === undefined) {
      evaluator = objectCounts(resource);
      this.#known.set(key, evaluator);
    }
    return evaluator;
  }
}

const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;
