/**
 * Admission: what is compiled into the server looks at each write after authorization, first the steps that may change the object, then those
 * that may only refuse it. Which steps run is chosen by name, with the names and defaults of 1.32.
 */

import type { Distribution } from '../observability/metrics.ts';
import type { WriteCondition } from '../registry/resource-store/write-condition.ts';
import { LongObject } from '../registry/stored-objects/long-value.ts';
import { AdmissionMetrics, type OutcomeFigures, type StepFigures, type StepType } from './admission-metrics.ts';
import { ORDERED_PLUGINS } from './ordered-plugins.ts';
import { type ChosenSteps, PhaseSteps, type PossibleStep, type Step } from './phase-steps.ts';
import type { AdmissionPlugin, PluginParts } from './plugin-interface/plugin.ts';
import type { Admission, AdmissionAttributes, Operation } from './request/attributes.ts';
import { Rounds } from './request/rounds.ts';

export interface AdmissionOptions extends PluginParts {
  /**
   * Brings the objects that plugins follow to the store's own revision. It is called before each phase.
   * @param received when the request arrived, by `performance.now()`; undefined for work that the server does by itself
   */
  readonly catchUp: (received: number | undefined, now: number) => void;
  /** --enable-admission-plugins */
  readonly enabled: readonly string[];
  /** --disable-admission-plugins */
  readonly disabled: readonly string[];
}

/**
 * @throws Error for a name that no plugin has, for a plugin that is both enabled and disabled, and for a configuration that is none
 */
export function createAdmission(options: AdmissionOptions): Admission {
  checkNames(options);
  const { enabled, disabled, catchUp } = options;
  const running = ORDERED_PLUGINS.filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)));
  const plugins = running.map(({ name, operations, make }) => ({ name, operations, plugin: make(options) }));
  const metrics = new AdmissionMetrics(options.metrics);
  const stepsOf = (phase: 'mutate' | 'validate', type: StepType): Readonly<Record<Operation, PhaseSteps>> => {
    const possible: Record<Operation, PossibleStep[]> = { create: [], update: [], delete: [], connect: [] };
    for (const { name, operations, plugin } of plugins) {
      const ask = plugin[phase]?.bind(plugin);
      const took = metrics.ofPlugin(name, type);
      const concerns: PossibleStep['concerns'] = ({ groupResource }) => plugin.concerns?.(groupResource, phase) ?? true;
      if (ask !== undefined) for (const operation of operations) possible[operation].push({ name, ask, concerns, ...took[operation] });
    }
    const of = (operation: Operation) => new PhaseSteps(possible[operation], (names) => metrics.passedOver(names, type, operation));
    return { create: of('create'), update: of('update'), delete: of('delete'), connect: of('connect') };
  };
  const [mutating, validating] = [stepsOf('mutate', 'admit'), stepsOf('validate', 'validate')];
  const [mutation, validation] = [metrics.ofPhase('admit'), metrics.ofPhase('validate')];
  const reserving = plugins.flatMap(({ name, plugin }) => {
    const ask = plugin.reserve?.bind(plugin);
    return ask === undefined ? [] : { ask, took: metrics.ofPlugin(name, 'validate') };
  });
  if (reserving.length > 1) throw new Error('a write can wait for one plugin at most that has reserved something');
  const reserve = reserving[0];
  const phase = <T>(figures: StepFigures, attributes: AdmissionAttributes, run: () => T): T => {
    const began = performance.now();
    catchUp(attributes.request.received, began);
    return observed(figures[attributes.operation], began, run);
  };
  const take = (attributes: AdmissionAttributes) => (reserve === undefined ? undefined : reserved(reserve, attributes));
  return {
    mutate: (attributes) => phase(mutation, attributes, () => inRounds(mutating[attributes.operation].of(attributes.resource), attributes)),
    validate: (attributes) =>
      phase(validation, attributes, () => {
        const asked = inTurn(validating[attributes.operation].of(attributes.resource), attributes, NO_ROUNDS);
        return asked === undefined ? take(attributes) : asked.then(() => take(attributes));
      }),
    close() {
      for (const { plugin } of plugins) plugin.close?.();
    },
  };
}

interface Reserve {
  readonly ask: NonNullable<AdmissionPlugin['reserve']>;
  readonly took: StepFigures;
}

/** @param began of `performance.now()`. @returns when it ended */
function observe(distribution: Distribution, began: number): number {
  const now = performance.now();
  distribution.observe((now - began) / 1_000);
  return now;
}

/**
 * Does the same as `observe` for an admission that has failed. If another thread handles the request again, nothing is decided yet, and that thread counts it.
 */
function observeFailed(distribution: Distribution, began: number, error: unknown): void {
  if (!(error instanceof LongObject)) observe(distribution, began);
}

/** Runs a phase, and counts how long it took. @param began when it began, by `performance.now()`. @param run may return a promise, with which the phase ends */
function observed<T>({ admitted, rejected }: OutcomeFigures, began: number, run: () => T): T {
  let outcome: T;
  try {
    outcome = run();
  } catch (error) {
    observeFailed(rejected, began, error);
    throw error;
  }
  if (outcome instanceof Promise)
    outcome.then(
      () => observe(admitted, began),
      (error) => observeFailed(rejected, began, error),
    );
  else observe(admitted, began);
  return outcome;
}

/** All steps, and once more where one of them asks for that. */
function inRounds(steps: ChosenSteps, attributes: AdmissionAttributes): Promise<void> | undefined {
  const rounds = new Rounds();
  const again = (): Promise<void> | undefined => (rounds.next() ? inTurn(steps, attributes, rounds) : undefined);
  const first = inTurn(steps, attributes, rounds);
  return first === undefined ? again() : first.then(again);
}

/** What may only refuse is asked once. */
const NO_ROUNDS = new Rounds();

/**
 * One step after the other; it waits only for those that have something to wait for. Each begins when the one before it has ended.
 * @param first of those that are asked
 */
function inTurn(steps: ChosenSteps, attributes: AdmissionAttributes, rounds: Rounds, first = 0): Promise<void> | undefined {
  const { asked } = steps;
  let began = performance.now();
  for (let at = first; at < asked.length; at++) {
    const step = asked[at] as Step;
    let pending: void | Promise<void>;
    try {
      pending = step.ask(attributes, rounds);
    } catch (error) {
      observeFailed(step.rejected, began, error);
      steps.endAt(step);
      throw error;
    }
    if (pending !== undefined) return inTurnBehind(pending, began, steps, attributes, rounds, at);
    began = observe(step.admitted, began);
  }
  steps.end();
  return undefined;
}

/** @param pending what the step at `at` waits for */
function inTurnBehind(
  pending: Promise<void>,
  began: number,
  steps: ChosenSteps,
  attributes: AdmissionAttributes,
  rounds: Rounds,
  at: number,
): Promise<void> {
  const step = steps.asked[at] as Step;
  return observed(step, began, () => pending).then(
    () => inTurn(steps, attributes, rounds, at + 1),
    (error) => {
      steps.endAt(step);
      throw error;
    },
  );
}

/** @returns undefined where nothing has to be taken */
function reserved({ ask, took }: Reserve, attributes: AdmissionAttributes): undefined | Promise<WriteCondition | undefined> {
  const began = performance.now();
  const { admitted, rejected } = took[attributes.operation];
  const taking = ask(attributes);
  if (taking === undefined) {
    observe(admitted, began);
    return undefined;
  }
  taking.then(
    () => observe(admitted, began),
    (error) => observeFailed(rejected, began, error),
  );
  return taking;
}

function checkNames({ enabled, disabled }: AdmissionOptions): void {
  for (const [flag, names] of [
    ['--enable-admission-plugins', enabled],
    ['--disable-admission-plugins', disabled],
  ] as const)
    for (const name of names)
      if (!ORDERED_PLUGINS.some((plugin) => plugin.name === name))
        throw new Error(`${flag}: no admission plugin is named ${JSON.stringify(name)}`);
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new Error(`the admission plugin ${both} is both enabled and disabled`);
}
