/**
 * The steps of a phase for one operation. Most plugins are for few resources: what they would be asked about in vain they are not, which is found out once for
 * each resource. They count as asked nevertheless, for no time.
 */
import type { Count } from '../observability/metrics.ts';
import type { Resource } from '../registry/resources/resource.ts';
import type { OutcomeFigures } from './admission-metrics.ts';
import type { AdmissionPlugin } from './plugin-interface/plugin.ts';

export interface Step extends OutcomeFigures {
  readonly ask: NonNullable<AdmissionPlugin['mutate']>;
  /** its index among all steps */
  readonly place: number;
}

/** A plugin that may be a step. */
export interface PossibleStep extends Omit<Step, 'place'> {
  readonly name: string;
  readonly concerns: (resource: Resource) => boolean;
}

/** The steps for one resource. */
export class ChosenSteps {
  readonly asked: readonly Step[];
  /** the steps that are passed over, at their places among all steps; undefined at the places of the others */
  readonly #passedOver: readonly (PossibleStep | undefined)[];
  readonly #all: Count | undefined;

  /** @param all counts all steps that are passed over; undefined if there are none */
  constructor(asked: readonly Step[], passedOver: readonly (PossibleStep | undefined)[], all: Count | undefined) {
    this.asked = asked;
    this.#passedOver = passedOver;
    this.#all = all;
  }

  /** Counts those that were passed over, once all others were asked. */
  end(): void {
    this.#all?.inc();
  }

  /** Counts those that were passed over before one that has refused. */
  endAt({ place }: Step): void {
    for (const step of this.#passedOver.slice(0, place)) step?.admitted.observe(0);
  }
}

export class PhaseSteps {
  readonly #possible: readonly PossibleStep[];
  readonly #count: (names: readonly string[]) => Count;
  readonly #chosen = new WeakMap<Resource, ChosenSteps>();
  /** the chosen steps by the names of those that are passed over, because resources come and go, but plugins do not */
  readonly #alike = new Map<string, ChosenSteps>();

  /** @param count makes the count for plugins that are passed over together */
  constructor(possible: readonly PossibleStep[], count: (names: readonly string[]) => Count) {
    this.#possible = possible;
    this.#count = count;
  }

  of(resource: Resource): ChosenSteps {
    let chosen = this.#chosen.get(resource);
    if (chosen === undefined) {
      chosen = this.#choose(resource);
      this.#chosen.set(resource, chosen);
    }
    return chosen;
  }

  #choose(resource: Resource): ChosenSteps {
    const passedOver = this.#possible.map((step) => (step.concerns(resource) ? undefined : step));
    const names = passedOver.flatMap((step) => step?.name ?? []);
    const key = names.join(' ');
    let chosen = this.#alike.get(key);
    if (chosen === undefined) {
      const asked = this.#possible.map((step, place) => ({ ...step, place })).filter(({ place }) => passedOver[place] === undefined);
      chosen = new ChosenSteps(asked, passedOver, names.length === 0 ? undefined : this.#count(names));
      this.#alike.set(key, chosen);
    }
    return chosen;
  }
}
