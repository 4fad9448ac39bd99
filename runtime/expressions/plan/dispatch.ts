/** Chooses the overload of a function by the values of its arguments. */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import { fitsParameter, typeNameOf } from '../values/describe.ts';
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from '../values/value.ts';

export type Run = (...args: readonly Value[]) => Value;

/**
 * The values are checked although the checker knows their types, because objects may deviate from their schema. For such values, operators
 * of CEL do what they do for values of unknown type.
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

/** In 1.32, values of these types handle calls of all functions by themselves. */
const RECEIVERS = new Set(['string', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);

function noSuchOverload({ name, takers }: FunctionDeclaration, args: readonly Value[]): ErrorValue {
  const types = args.map(typeNameOf);
  if (takers === undefined) return new ErrorValue(`no such overload: ${name}(${types.join(', ')})`);
  const [first = ''] = types;
  return takers === 'any' || takers.includes(first) || RECEIVERS.has(first)
    ? NO_SUCH_OVERLOAD
    : new ErrorValue(`no such overload: ${name}`);
}
