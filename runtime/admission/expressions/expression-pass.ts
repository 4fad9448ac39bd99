/**
 * One pass over expressions of a policy or a webhook for one request and one parameter, as 1.32's `ForInput` (admission/plugin/cel): each expression has its own
 * limit, all have one budget, and variables are computed when they are first read and paid for by the expression that reads them.
 */
import type { ApiObject } from '../../contract/object.ts';
import type { Program } from '../../expressions/plan/program.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import { ErrorValue, MapValue, type Value } from '../../expressions/values/value.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';

/** Units of one expression, and of all of one pass (apis/cel/config.go of 1.32). */
export const CALL_UNITS = 1_000_000;
export const POLICY_UNITS = 10_000_000;
/** Units of a pass that take some milliseconds, also of a machine that does other things: 50,000 took up to 20. */
const SHORT_UNITS = 10_000;

/** An expression that a policy or a webhook states. */
export interface CompiledExpression {
  readonly expression: string;
  /** absent: it does not compile */
  readonly program?: Program | undefined;
  /** why */
  readonly problem?: string | undefined;
}

export interface CompiledVariable extends CompiledExpression {
  readonly name: string;
}

/** A request as expressions see it. */
export interface ReadRequest {
  /** @returns undefined for a variable that is none of a request. @throws StatusError NotFound where the namespace is not there */
  read(variable: string): Value | undefined;
}

/** What expressions may read. */
export interface PassInput {
  readonly seen: ReadRequest;
  /** absent where there are none, or where the policy knows of none */
  readonly params: ApiObject | undefined;
  readonly variables: ReadonlyMap<string, CompiledVariable>;
  /** whether they may ask the authorizer */
  readonly authorizer: boolean;
  /** units; `POLICY_UNITS` without it */
  readonly budget?: number;
  /** units of one expression; `CALL_UNITS` without it */
  readonly callUnits?: number;
  /** whether a pass may take long here: others wait for this thread otherwise */
  readonly mayTakeLong: boolean;
}

/** No further expression is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** What an expression came to. */
export type Evaluated = { readonly value: Value; readonly error?: undefined } | { readonly error: string; readonly value?: undefined };

export class ExpressionPass {
  readonly #input: PassInput;
  readonly #callUnits: number;
  readonly #variables: VariableValues;
  #left: number;
  /** units of all programs so far */
  #work = 0;
  /** of variables, for the expression at hand */
  #variableUnits = 0;

  constructor(input: PassInput) {
    this.#input = input;
    this.#left = input.budget ?? POLICY_UNITS;
    this.#callUnits = input.callUnits ?? CALL_UNITS;
    this.#variables = new VariableValues(input.variables, (variable) => this.#variable(variable));
  }

  /** Units that are left for further expressions. */
  get left(): number {
    return this.#left;
  }

  /** @throws OutOfBudget, LongObject; what tells that the authorizer has to be waited for; StatusError where the namespace is not there */
  evaluate({ expression, program, problem }: CompiledExpression): Evaluated {
    if (program === undefined) return { error: `compilation error: ${problem}` };
    this.#variableUnits = 0;
    const { value, cost } = this.#run(program);
    this.#pay(this.#variableUnits);
    this.#pay(cost);
    return value instanceof ErrorValue ? { error: `expression '${expression}' resulted in error: ${value.message}` } : { value };
  }

  #pay(units: number): void {
    if (units > this.#left) {
      this.#left = -1;
      throw new OutOfBudget();
    }
    this.#left -= units;
  }

  #run(program: Program): { readonly value: Value; readonly cost: number } {
    const limit = this.#input.mayTakeLong ? this.#callUnits : Math.min(this.#callUnits, SHORT_UNITS - this.#work);
    const { value, cost, isOverLimit } = program.evaluate(this.#read, limit);
    this.#work += cost;
    if (isOverLimit && limit < this.#callUnits) throw new LongObject();
    return { value, cost };
  }

  readonly #read = (name: string): Value => {
    if (name === 'variables') return this.#variables;
    if (name === 'params') return jsonValue(this.#input.params);
    if (!this.#input.authorizer && name.startsWith('authorizer')) return new ErrorValue(`no such attribute(s): ${name}`);
    return this.#input.seen.read(name) ?? null;
  };

  #variable({ name, program, problem }: CompiledVariable): Value {
    if (program === undefined) return new ErrorValue(`composited variable "${name}" fails to compile: ${problem}`);
    const { value, cost } = this.#run(program);
    this.#variableUnits += cost;
    return value instanceof ErrorValue ? new ErrorValue(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}

/** What expressions read as `variables`. */
class VariableValues extends MapValue {
  readonly #compiled: ReadonlyMap<string, CompiledVariable>;
  readonly #compute: (variable: CompiledVariable) => Value;
  #computed: Map<string, Value> | undefined;

  constructor(compiled: ReadonlyMap<string, CompiledVariable>, compute: (variable: CompiledVariable) => Value) {
    super();
    this.#compiled = compiled;
    this.#compute = compute;
  }

  get size(): number {
    return this.#compiled.size;
  }

  find(key: Value): Value | undefined {
    const known = this.#computed?.get(key as string);
    if (known !== undefined) return known;
    const variable = this.#compiled.get(key as string);
    if (variable === undefined) return undefined;
    const value = this.#compute(variable);
    this.#computed ??= new Map();
    this.#computed.set(variable.name, value);
    return value;
  }

  keys(): Iterable<Value> {
    return this.#compiled.keys();
  }
}
