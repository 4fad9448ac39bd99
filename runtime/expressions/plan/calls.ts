/** Calls of functions and operators. */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import type { CallNode } from '../syntax/node.ts';
import { fitsParameter, typeNameOf } from '../values/describe.ts';
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from '../values/value.ts';
import { planConstantCall, planMembership } from './constant-calls.ts';
import type { Frame, Step } from './frame.ts';
import { failingPlan, InstantiationError, type Plan, type Planning } from './plan.ts';

type Run = (...args: readonly Value[]) => Value;
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
  const exact = only !== undefined && planner.folds ? specialized(only, plans) : only;
  const steps = plans.map(({ step }) => step);
  if (exact?.takesErrors) return errorTakingStep(exact, steps);
  const run = exact === undefined ? dispatch(declared, overloads) : guarded(declared, exact);
  const { cost, costOfResult } = declared;
  if (cost !== undefined) return chargedStep(run, steps, (args) => cost(args, exact?.id) ?? exact?.cost?.(...args) ?? 1);
  if (costOfResult !== undefined) return chargedStep(run, steps, () => 0, costOfResult);
  switch (steps.length) {
    case 1:
      return unaryStep(run, steps[0] as Step, exact?.cost);
    case 2:
      return binaryStep(run, steps[0] as Step, steps[1] as Step, exact?.cost);
    default:
      return chargedStep(run, steps, (args) => exact?.cost?.(...args) ?? 1);
  }
}

function specialized(overload: Overload, plans: readonly Plan[]): Overload {
  const run = overload.specialize?.(plans.map(({ constant }) => constant));
  if (run instanceof ErrorValue) throw new InstantiationError(run.message);
  return run === undefined ? overload : { ...overload, run };
}

function unaryStep(run: Run, operand: Step, cost: Overload['cost']): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(cost === undefined ? 1 : cost(value));
    return value instanceof ErrorValue ? value : run(value);
  };
}

/** Both operands are evaluated, and the call is charged, even where one is an error. */
function binaryStep(run: Run, left: Step, right: Step, cost: Overload['cost']): Step {
  return (frame) => {
    const first = left(frame);
    const second = right(frame);
    frame.charge(cost === undefined ? 1 : cost(first, second));
    if (first instanceof ErrorValue) return first;
    return second instanceof ErrorValue ? second : run(first, second);
  };
}

/** A call of more than two operands is not evaluated further, nor charged, behind an operand that is an error. */
function chargedStep(run: Run, steps: readonly Step[], charge: Charge, chargeResult?: FunctionDeclaration['costOfResult']): Step {
  const inOrder = steps.length > 2;
  return (frame) => {
    const args: Value[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (inOrder && value instanceof ErrorValue) return value;
      args.push(value);
    }
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

/** Values are looked at although the checker knows their types: objects may be other than their schema says. */
function guarded(declared: FunctionDeclaration, { parameters, run }: Overload): Run {
  const call = run as Run;
  const [first, second] = parameters;
  if (parameters.length === 1 && first !== undefined)
    return (value) => (fitsParameter(first, value) ? call(value) : noSuchOverload(declared, [value]));
  if (parameters.length === 2 && first !== undefined && second !== undefined)
    return (a, b) => (fitsParameter(first, a) && fitsParameter(second, b) ? call(a, b) : noSuchOverload(declared, [a, b]));
  return (...args) => (fits(parameters, args) ? call(...args) : noSuchOverload(declared, args));
}

function dispatch(declared: FunctionDeclaration, typed: readonly Overload[]): Run {
  const overloads = declared.undeclared === undefined ? typed : [...typed, ...declared.undeclared];
  return (...args) => {
    const overload = overloads.find(({ parameters }) => fits(parameters, args));
    return overload === undefined ? noSuchOverload(declared, args) : (overload.run as Run)(...args);
  };
}

function fits(parameters: Overload['parameters'], args: readonly Value[]): boolean {
  return parameters.length === args.length && parameters.every((parameter, index) => fitsParameter(parameter, args[index] as Value));
}

/** Types whose values are asked for every function that nothing else does. */
const RECEIVERS = new Set(['string', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);

function noSuchOverload({ name, takers }: FunctionDeclaration, args: readonly Value[]): ErrorValue {
  const types = args.map(typeNameOf);
  if (takers === undefined) return new ErrorValue(`no such overload: ${name}(${types.join(', ')})`);
  const [first = ''] = types;
  return takers === 'any' || takers.includes(first) || RECEIVERS.has(first)
    ? NO_SUCH_OVERLOAD
    : new ErrorValue(`no such overload: ${name}`);
}
