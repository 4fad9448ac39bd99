/** A quota as it is stored, with what its checks ask for again and again. */
import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { type Amounts, amountsOf } from '../../schema/scalar/amounts.ts';
import type { Evaluator } from './evaluator.ts';
import { isInAll, requirementsOf } from './scopes.ts';

export class Quota {
  readonly object: ApiObject;
  readonly name: string;
  readonly requirements: readonly ScopedResourceSelectorRequirement[];
  /** the limits from its status; a limit counts only once the status has it */
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly #counted = new Map<Evaluator, readonly string[]>();

  private constructor(object: ApiObject) {
    this.object = object;
    this.name = object.metadata.name as string;
    this.requirements = requirementsOf(object.spec);
    this.hard = amountsOf(object.status?.hard);
    this.used = amountsOf(object.status?.used);
  }

  /** @param object that nobody changes */
  static of(object: ApiObject): Quota {
    let quota = known.get(object);
    if (quota === undefined) {
      quota = new Quota(object);
      known.set(object, quota);
    }
    return quota;
  }

  /** Names of what it limits and an evaluator counts. */
  counted(evaluator: Evaluator): readonly string[] {
    let names = this.#counted.get(evaluator);
    if (names === undefined) {
      names = [...this.hard.keys()].filter((name) => evaluator.counts(name)).sort();
      this.#counted.set(evaluator, names);
    }
    return names;
  }

  isAbout(evaluator: Evaluator, object: ApiObject): boolean {
    return this.counted(evaluator).length > 0 && isInAll(evaluator, this.requirements, object);
  }
}

const known = new WeakMap<ApiObject, Quota>();
