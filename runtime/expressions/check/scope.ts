import type { Variable } from '../environment/environment.ts';

/** A variable of a comprehension, linked to those of outer comprehensions. */
export class Scope {
  readonly #variable: Variable;
  readonly #outer: Scope | undefined;

  constructor(variable: Variable, outer: Scope | undefined) {
    this.#variable = variable;
    this.#outer = outer;
  }

  /** A name with a leading dot is outside of all comprehensions, whatever theirs are called. */
  find(name: string): Variable | undefined {
    if (name.startsWith('.')) return undefined;
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer)
      if (scope.#variable.name === name) return scope.#variable;
    return undefined;
  }
}
