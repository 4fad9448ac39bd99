import type { Variable } from '../environment/environment.ts';

/** A variable of a comprehension, linked to those of outer comprehensions. */
export class Scope {
  readonly #variable: Variable;
  readonly #outer: Scope | undefined;

  constructor(variable: Variable, outer: Scope | undefined) {
    this.#variable = variable;
    this.#outer = outer;
  }

  find(name: string): Variable | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer)
      if (scope.#variable.name === name) return scope.#variable;
    return undefined;
  }
}
