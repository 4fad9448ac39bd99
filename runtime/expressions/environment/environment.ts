/** The variables, functions, macros and types that an expression may use. An environment is immutable; `extend` makes another one. */
import type { Macro } from '../syntax/macro.ts';
import { MacroTable } from '../syntax/macro-table.ts';
import { type StructType, type Type, typeName, typeOfType } from '../types/type.ts';
import { TypeValue, type Value } from '../values/value.ts';
import type { FunctionDeclaration, Library, Overload } from './declarations.ts';

export interface Variable {
  readonly name: string;
  readonly type: Type;
  /** set for a constant or a type */
  readonly value?: Value;
  /** whether it is a variable of a comprehension */
  readonly local?: boolean;
}

/** Makes the values of `TYPE{field: value}`. */
export interface StructMaker {
  readonly type: StructType;
  make(fields: ReadonlyMap<string, Value>): Value;
}

export interface EnvironmentParts {
  readonly libraries?: readonly Library[];
  readonly variables?: Readonly<Record<string, Type>>;
  readonly structs?: readonly StructMaker[];
  /** the namespace, such as `a.b`, in which names are looked up first; default: none */
  readonly container?: string;
  /** whether the elements of a literal may have several types; default: false */
  readonly mixedLiterals?: boolean;
  /**
   * whether an expression that does not fit the environment is planned anyway, so that its errors occur during evaluation; default: false
   */
  readonly lenient?: boolean;
  /** whether fields may be named in backquotes, which 1.32 does not support; default: false */
  readonly quotedNames?: boolean;
  /** whether a map literal may neither repeat a key nor have a fraction as a key; 1.32 accepts both; default: false */
  readonly strictKeys?: boolean;
}

export class Environment {
  readonly container: string;
  readonly mixedLiterals: boolean;
  readonly lenient: boolean;
  readonly quotedNames: boolean;
  readonly strictKeys: boolean;
  readonly macros: MacroTable;
  readonly optionalSyntax: boolean;
  readonly #macros: readonly Macro[];
  readonly validators: readonly NonNullable<Library['validate']>[];
  readonly #names: ReadonlyMap<string, Variable>;
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #structs: ReadonlyMap<string, StructMaker>;

  constructor(parts: EnvironmentParts, base?: Environment) {
    const { libraries = [], variables = {}, structs = [] } = parts;
    this.container = parts.container ?? base?.container ?? '';
    this.quotedNames = parts.quotedNames ?? base?.quotedNames ?? false;
    this.strictKeys = parts.strictKeys ?? base?.strictKeys ?? false;
    this.lenient = parts.lenient ?? base?.lenient ?? false;
    this.mixedLiterals = parts.mixedLiterals ?? base?.mixedLiterals ?? false;
    const added = libraries.flatMap(({ macros = [] }) => macros);
    this.#macros = [...(base === undefined ? [] : base.#macros), ...added];
    this.macros = added.length === 0 && base !== undefined ? base.macros : new MacroTable(this.#macros);
    this.optionalSyntax = base?.optionalSyntax === true || libraries.some(({ optionalSyntax }) => optionalSyntax === true);
    this.validators = [...(base?.validators ?? []), ...libraries.flatMap(({ validate }) => validate ?? [])];
    this.#names = namesOf(libraries, variables, structs, base === undefined ? new Map() : base.#names);
    this.#functions =
      libraries.length === 0 && base !== undefined
        ? base.#functions
        : functionsOf(libraries, base === undefined ? new Map() : base.#functions);
    this.#structs = new Map([...(base === undefined ? [] : base.#structs), ...structs.map((maker) => [maker.type.name, maker] as const)]);
  }

  extend(parts: EnvironmentParts): Environment {
    return new Environment(parts, this);
  }

  /** @returns the variable, constant or type of that name; the container is searched from the inside out */
  findName(name: string): Variable | undefined {
    return this.#find(name, this.#names);
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    return this.#find(name, this.#functions);
  }

  structMaker(name: string): StructMaker | undefined {
    return this.#structs.get(name);
  }

  #find<T>(name: string, among: ReadonlyMap<string, T>): T | undefined {
    if (name.startsWith('.')) return among.get(name.slice(1));
    for (let container = this.container; container !== ''; container = container.slice(0, Math.max(0, container.lastIndexOf('.')))) {
      const found = among.get(`${container}.${name}`);
      if (found !== undefined) return found;
    }
    return among.get(name);
  }
}

function namesOf(
  libraries: readonly Library[],
  variables: Readonly<Record<string, Type>>,
  structs: readonly StructMaker[],
  base: ReadonlyMap<string, Variable>,
): ReadonlyMap<string, Variable> {
  const names = new Map(base);
  const addType = (type: Type) => {
    const name = typeName(type);
    names.set(name, { name, type: typeOfType(type), value: new TypeValue(name) });
  };
  for (const { types = [], constants = {} } of libraries) {
    for (const type of types) addType(type);
    for (const [name, { type, value }] of Object.entries(constants)) names.set(name, { name, type, value });
  }
  for (const { type } of structs) addType(type);
  for (const [name, type] of Object.entries(variables)) names.set(name, { name, type });
  return names;
}

function functionsOf(
  libraries: readonly Library[],
  base: ReadonlyMap<string, FunctionDeclaration>,
): ReadonlyMap<string, FunctionDeclaration> {
  const functions = new Map(base);
  for (const { functions: declared = [] } of libraries)
    for (const declaration of declared) {
      const before = functions.get(declaration.name);
      // a declaration without overloads, such as one of costs, only extends a function of another library
      if (before === undefined && declaration.overloads.length === 0) continue;
      functions.set(declaration.name, {
        ...before,
        ...declaration,
        overloads: withOverloads(before?.overloads ?? [], declaration.overloads),
      });
    }
  return functions;
}

/** A later library may replace an overload. */
function withOverloads(before: readonly Overload[], added: readonly Overload[]): readonly Overload[] {
  return [...before.filter(({ id }) => !added.some((overload) => overload.id === id)), ...added];
}
