/** Which overload of a function runs, by the values that it gets. */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import { fitsParameter, typeNameOf } from '../values/describe.ts';
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from '../values/value.ts';

export type Run = (...args: readonly Value[]) => Value;

/**
 * Values are looked at although the checker knows their types: objects may be other than their schema says. Operators of the language do with others what they
 * do with values whose types are not known.
 */
export function guarded(declared: FunctionDeclaration, { parameters, run }: Overload): Run {
  const call = run as Run;
  const others: Run =
    declared.takers === undefined
      ? (...args) => noSuchOverload(declared, args)
      : (...args) => dispatch(declared, declared.overloads)(...args);
  const [first, second] = parameters;
  if (parameters.length === 1 && first !== undefined) return (value) => (fitsParameter(first, value) ? call(value) : others(value));
  if (parameters.length === 2 && first !== undefined && second !== undefined)
    return (a, b) => (fitsParameter(first, a) && fitsParameter(second, b) ? call(a, b) : others(a, b));
  return (...args) => (fits(parameters, args) ? call(...args) : others(...args));
}

export function dispatch(declared: FunctionDeclaration, typed: readonly Overload[]): Run {
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
