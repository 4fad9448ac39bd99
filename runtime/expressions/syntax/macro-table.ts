import type { Macro } from './macro.ts';

/** Macros by name, form (with or without a target) and number of arguments. */
export class MacroTable {
  readonly #functions = new Map<string, Macro[]>();
  readonly #members = new Map<string, Macro[]>();

  /** @param macros later ones replace earlier ones of the same name, form and number of arguments */
  constructor(macros: readonly Macro[]) {
    for (const macro of macros) {
      const named = macro.member ? this.#members : this.#functions;
      const others = (named.get(macro.name) ?? []).filter(({ arity }) => arity !== macro.arity);
      named.set(macro.name, [...others, macro]);
    }
  }

  /** @returns the macro with exactly this number of arguments, else one that takes any number */
  find(name: string, member: boolean, arity: number): Macro | undefined {
    const named = (member ? this.#members : this.#functions).get(name);
    return named?.find((macro) => macro.arity === arity) ?? named?.find((macro) => macro.arity === undefined);
  }
}
