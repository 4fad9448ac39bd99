/** Plans calls of functions and operators. */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import type { CallNode } from '../syntax/node.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import { planConstantCall, planMembership } from './constant-calls.ts';
import { dispatch, guarded, type Run } from './dispatch.ts';
import type { Frame, Step } from './frame.ts';
import { failingPlan, InstantiationError, type Plan, type Planning } from './plan.ts';

type Charge = (args: readonly Value[]) => number;

export function planCall(planner: Planning, node: CallNode): Plan {
  const reference = planner.checked.callOf(node);
  if (reference === undefined) return failingPlan(`unbound function: ${node.function}`);
  const operands = node.target === undefined || reference.namespaced ? node.args : [node.target, ...node.args];
  const plans = operands.map((operand) => planner.plan(operand));
  const folded = planner.folds ? (planMembership(reference, plans) ?? planConstantCall(reference, plans)) : undefined;
  return folded ?? { step: stepOf(planner, reference.function, reference.overloads, plans) };
}

function stepOf(planner: Planning, declared: FunctionDeclaration, overloads: readonly Overload[], plans: readonly Plan[]): Step {
  const [only] = overloads.length === 1 ? overloads : [];
  const stated = only !== undefined && planner.folds ? specialized(only, plans) : undefined;
  const exact = stated ?? only;
  const steps = plans.map(({ step }) => step);
  if (exact?.takesErrors) return errorTakingStep(exact, steps);
  const { cost, costOfResult } = declared;
  const charge: Charge = (args) => cost?.(args, exact?.id) ?? exact?.cost?.(...args) ?? 1;
  if (stated !== undefined) return inOrderStep(guarded({ ...declared, takers: 'any' }, stated), steps, charge);
  const run = exact === undefined ? dispatch(declared, overloads) : guarded(declared, exact);
  // a function whose overload its operands choose is called with all of them, however few, unless it is one that chooses by itself
  const isChosen = exact === undefined && declared.takers === undefined && costOfResult === undefined;
  if (exact?.inOrder || isChosen) return inOrderStep(run, steps, charge);
  if (cost !== undefined) return chargedStep(run, steps, charge);
  if (costOfResult !== undefined) return chargedStep(run, steps, () => 0, costOfResult);
  switch (steps.length) {
    case 1:
      return unaryStep(run, steps[0] as Step, exact?.cost);
    case 2:
      return binaryStep(run, steps[0] as Step, steps[1] as Step, exact?.cost);
    default:
      return inOrderStep(run, steps, charge);
  }
}

/** @returns undefined if the overload has no special form for the constants of the call */
function specialized(overload: Overload, plans: readonly Plan[]): Overload | undefined {
  const run = overload.specialize?.(plans.map(({ constant }) => constant));
  if (run instanceof ErrorValue) throw new InstantiationError(run.message);
  return run === undefined ? undefined : { ...overload, run };
}

function unaryStep(run: Run, operand: Step, cost: Overload['cost']): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(cost === undefined ? 1 : cost(value));
    return value instanceof ErrorValue ? value : run(value);
  };
}

/** As in 1.32, both operands are evaluated and the call is charged even if one of them is an error. */
function binaryStep(run: Run, left: Step, right: Step, cost: Overload['cost']): Step {
  return (frame) => {
    const first = left(frame);
    const second = right(frame);
    frame.charge(cost === undefined ? 1 : cost(first, second));
    if (first instanceof ErrorValue) return first;
    return second instanceof ErrorValue ? second : run(first, second);
  };
}

/**
 * As in 1.32, a call with more than two operands, or one that was specialized, stops at the first operand that is an error. It is charged
 * only if that is the last one.
 */
function inOrderStep(run: Run, steps: readonly Step[], charge: Charge): Step {
  return (frame) => {
    const args: Value[] = [];
    for (const step of steps) {
      const value = step(frame);
      args.push(value);
      if (value instanceof ErrorValue && args.length < steps.length) return value;
    }
    frame.charge(charge(args));
    const last = args.at(-1);
    return last instanceof ErrorValue ? last : run(...args);
  };
}

function chargedStep(run: Run, steps: readonly Step[], charge: Charge, chargeResult?: FunctionDeclaration['costOfResult']): Step {
  if (steps.length > 2) return inOrderStep(run, steps, charge);
  return (frame) => {
    const args = steps.map((step) => step(frame));
    frame.charge(charge(args));
    const result = args.find((arg) => arg instanceof ErrorValue) ?? run(...args);
    if (chargeResult !== undefined) frame.charge(chargeResult(result));
    return result;
  };
}

function errorTakingStep({ run, cost }: Overload, steps: readonly Step[]): Step {
  return (frame: Frame) => {
    const args = steps.map((step) => step(frame));
    frame.charge(cost?.(...args) ?? 1);
    return (run as Run)(...args);
  };
}
