/** Helpers for the declarations of libraries. */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import type { Type } from '../types/type.ts';
import type { Value } from '../values/value.ts';

type Run = (...args: never[]) => Value;
type Charged = Pick<Overload, 'cost' | 'estimate' | 'inOrder'>;

/** Makes an overload without a target. */
export const plain = (id: string, parameters: readonly Type[], result: Type, run: Run, charged: Charged = {}): Overload => ({
  id,
  parameters,
  result,
  run,
  ...charged,
});

/** Makes an overload with a target, which is its first parameter. */
export const member = (id: string, parameters: readonly Type[], result: Type, run: Run, charged: Charged = {}): Overload => ({
  ...plain(id, parameters, result, run, charged),
  member: true,
});

/** @param cost units of a call, whatever overload it runs; default: the cost of the overload */
export const declared = (name: string, overloads: readonly Overload[], cost?: FunctionDeclaration['cost']): FunctionDeclaration => ({
  name,
  overloads,
  ...(cost === undefined ? {} : { cost }),
});
