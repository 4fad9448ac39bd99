/**
 * Runs constraints that are known at run time alone, those of custom kinds: the same steps, in the same order and with the same findings as
 * the functions that the generator writes for built-in kinds. Steps become closures once; running them allocates nothing for what is right
 * but what `unique` remembers.
 */
import type {
  EntriesStep,
  FormStep,
  ItemsStep,
  MemberStep,
  RuleStep,
  Shape,
  Step,
  Steps,
  StructConstraints,
  TypeStep,
  UnionStep,
  WhenStep,
  WithinStep,
} from '../contract/constraint.ts';
import { MOST_FINDINGS } from '../contract/field-error.ts';
import type { Rule, ScopeMaker, Validator } from '../contract/kind.ts';
import { compileCondition, compileGate, valueAt } from '../schema/conditions.ts';
import type { JsonObject } from '../schema/json/member.ts';
import { type Execute, partOf, pathOf, type Run, unionFinding } from './execute.ts';
import { report } from './findings.ts';
import { type CheckParts, compileCheck } from './interpreter-checks.ts';
import { reportedName } from './messages.ts';
import { counterpart, isSet, shortened } from './values.ts';

export interface InterpreterParts extends CheckParts {
  /** by definition name */
  readonly constraints: ReadonlyMap<string, StructConstraints>;
  /** by `<file>#<export>`; custom kinds have none. @throws Error for one that is not there */
  rule(name: string): Rule<unknown>;
  scope(name: string): ScopeMaker<unknown>;
}

export type Occasion = 'object' | 'changes' | 'status';

const STRUCT: Shape = { kind: 'struct', pointer: false };
const TEXT: Shape = { kind: 'text', pointer: true };
const NUMBER: Shape = { kind: 'number', pointer: true };

export class Interpreter {
  readonly #parts: InterpreterParts;
  readonly #compiled = new Map<string, Execute>();

  constructor(parts: InterpreterParts) {
    this.#parts = parts;
  }

  /** @param definition of the struct. @returns undefined where nothing is constrained */
  validator(definition: string, occasion: Occasion): Validator | undefined {
    const steps = this.#parts.constraints.get(definition)?.[occasion];
    if (steps === undefined || steps.length === 0) return undefined;
    const execute = this.#struct(definition, occasion);
    return (value, old, context, scope, out) => {
      const run: Run = { context, out, path: [], isNew: old === undefined, sets: new Map() };
      execute(value, old, { value, depth: 0 }, scope, run);
    };
  }

  /** Types may go in circles, so a struct is compiled when it is first met. */
  #struct(definition: string, occasion: Occasion): Execute {
    const key = `${occasion} ${definition}`;
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const { [occasion]: stated = [], scope: maker } = this.#parts.constraints.get(definition) ?? {};
    const makeScope = maker === undefined ? undefined : this.#parts.scope(maker);
    let steps: Execute | undefined;
    const execute: Execute = (value, old, _holder, scope, run) => {
      steps ??= this.#steps(stated, STRUCT);
      const inner = makeScope === undefined ? scope : makeScope(value, old, run.context, scope);
      const within: Run = { ...run, isNew: old === undefined, sets: new Map() };
      steps(value, old, { value: value as JsonObject, depth: run.path.length }, inner, within);
      return false;
    };
    this.#compiled.set(key, execute);
    return execute;
  }

  #steps(steps: Steps, shape: Shape): Execute {
    const all = steps.map((step) => this.#step(step, shape));
    return (value, old, holder, scope, run) => {
      for (let i = 0; i < all.length; i++) if ((all[i] as Execute)(value, old, holder, scope, run)) return true;
      return false;
    };
  }

  #step(step: Step, shape: Shape): Execute {
    switch (step.do) {
      case 'check':
        return compileCheck(step, shape, this.#parts);
      case 'rule':
        return this.#rule(step);
      case 'type':
        return this.#type(step);
      case 'member':
        return this.#member(step);
      case 'items':
        return this.#items(step);
      case 'entries':
        return this.#entries(step);
      case 'within':
        return this.#within(step, shape);
      case 'when':
        return this.#when(step, shape);
      case 'first':
        return this.#first(step.steps, shape);
      case 'union':
        return this.#union(step);
      case 'form':
        return this.#form(step);
    }
  }

  #rule({ rule: name, stop }: RuleStep): Execute {
    const rule = this.#parts.rule(name);
    return (value, old, _holder, scope, run) => {
      if (value === undefined || value === null) return false;
      const found = rule(value, old, run.context, scope);
      if (found.length === 0) return false;
      report(run.out, found, run.path.join(''));
      return stop;
    };
  }

  #type({ definition, changes }: TypeStep): Execute {
    const struct = this.#struct(definition, changes ? 'changes' : 'object');
    const skips = !changes && this.#parts.constraints.get(definition)?.closed === true;
    return (value, old, holder, scope, run) => {
      // The steps of a struct may lead to the same value again, as one of its inline structs.
      const isKnown = skips && value === old && value !== holder.value;
      return value === undefined || value === null || isKnown ? false : struct(value, old, holder, scope, run);
    };
  }

  #member({ path, report: name, shape, steps, byHolder = false }: MemberStep): Execute {
    const inner = this.#steps(steps, shape);
    const part = `.${name ?? path.join('.')}`;
    const zero = shape.kind === 'number' && !shape.pointer ? 0 : undefined;
    return (value, old, _holder, scope, run) => {
      const depth = run.path.length;
      const member = valueAt(value as JsonObject, path) ?? zero;
      run.path.push(part);
      const before = old === undefined ? undefined : valueAt(old as JsonObject, path);
      const stopped = inner(member, before, { value: value as JsonObject, depth }, scope, run);
      run.path.pop();
      return byHolder && stopped;
    };
  }

  /** Elements that keys tell apart have a counterpart in the stored list; others may still be the same object in the same place. */
  #items({ shape, mapKeys, report: reported, steps }: ItemsStep): Execute {
    const inner = this.#steps(steps, shape);
    const sets = uniqueSets(steps);
    return (value, old, holder, scope, run) => {
      const [list, before] = [value as unknown[] | null | undefined, old as unknown[] | null | undefined];
      if (list === undefined || list === null) return false;
      for (const set of sets) run.sets.set(set, new Set());
      const own = reported === undefined ? undefined : run.path.splice(holder.depth, Infinity, partOf(reported));
      const within = { value: holder.value, depth: run.path.length };
      for (let i = 0; i < list.length && run.out.length <= MOST_FINDINGS; i++) {
        run.path.push(own === undefined ? `[${i}]` : '');
        const stored = mapKeys.length > 0 ? counterpart(list[i] as object, i, before as object[], mapKeys) : undefined;
        inner(list[i], stored ?? (before?.[i] === list[i] ? list[i] : undefined), within, scope, run);
        run.path.pop();
      }
      if (own !== undefined) run.path.splice(holder.depth, 1, ...own);
      return false;
    };
  }

  #entries({ keys, shape, values, keyLength }: EntriesStep): Execute {
    const [ofKey, ofValue] = [this.#steps(keys, TEXT), this.#steps(values, shape)];
    return (value, _old, holder, scope, run) => {
      const map = value as JsonObject | null | undefined;
      if (map === undefined || map === null) return false;
      const within = { value: holder.value, depth: run.path.length };
      for (const key of Object.keys(map)) {
        if (run.out.length > MOST_FINDINGS) break;
        run.path.push(`[${keyLength === undefined ? key : shortened(key, keyLength)}]`);
        ofKey(key, undefined, within, scope, run);
        ofValue(map[key], undefined, within, scope, run);
        run.path.pop();
      }
      return false;
    };
  }

  #within({ steps }: WithinStep, shape: Shape): Execute {
    const inner = this.#steps(steps, shape);
    return (value, old, _holder, scope, run) => {
      if (value === undefined || value === null) return false;
      return inner(value, old, { value: value as JsonObject, depth: run.path.length }, scope, run);
    };
  }

  #when(step: WhenStep, shape: Shape): Execute {
    const [then, otherwise] = [this.#steps(step.steps, shape), this.#steps(step.otherwise, shape)];
    const conditions = step.when === undefined ? undefined : [step.when].flat().map(compileCondition);
    const gate = compileGate(step.gate);
    return (value, old, holder, scope, run) => {
      const holds =
        (step.creating !== true || run.isNew) &&
        gate((name) => run.context.featureEnabled(name)) &&
        (conditions === undefined || conditions.some((condition) => condition(holder.value)));
      return (holds ? then : otherwise)(value, old, holder, scope, run);
    };
  }

  #first(steps: Steps, shape: Shape): Execute {
    const all = steps.map((step) => this.#step(step, shape));
    return (value, old, holder, scope, run) => {
      const from = run.out.length;
      for (const each of all) {
        if (each(value, old, holder, scope, run) || run.out.length > from) return false;
      }
      return false;
    };
  }

  #union({ members, none, several }: UnionStep): Execute {
    const all = members.map((member) => ({ ...member, execute: this.#member(member) }));
    return (value, old, holder, scope, run) => {
      let count = 0;
      for (const { path, shape, execute } of all) {
        const member = valueAt(value as JsonObject, path);
        if (!isSet(member, shape)) continue;
        count++;
        const isFree = several?.at !== 'member' || several.beside?.includes(path.join('.')) === true;
        if (count === 1 || isFree) execute(value, old, holder, scope, run);
        else run.out.push(unionFinding(several, member, `${run.path.join('')}.${reportedName(several.reported, path)}`, run.context));
      }
      if (none !== undefined && count === 0) run.out.push(unionFinding(none, value, pathOf(run, holder, none.path), run.context));
      if (several?.at === 'struct' && count > 1) run.out.push(unionFinding(several, value, pathOf(run, holder, several.path), run.context));
      return false;
    };
  }

  #form({ text, number }: FormStep): Execute {
    const [ofText, ofNumber] = [this.#steps(text, TEXT), this.#steps(number, NUMBER)];
    return (value, old, holder, scope, run) => {
      if (typeof value === 'string') ofText(value, old, holder, scope, run);
      else if (typeof value === 'number') ofNumber(value, old, holder, scope, run);
      return false;
    };
  }
}

/** Sets of the elements that are compared with each other. */
function uniqueSets(steps: Steps): number[] {
  return steps.flatMap((step): number[] => {
    if (step.do === 'check') return step.test.name === 'unique' ? [step.test.set] : [];
    if (step.do === 'when') return [...uniqueSets(step.steps), ...uniqueSets(step.otherwise)];
    return step.do === 'first' || step.do === 'within' || step.do === 'member' ? uniqueSets(step.steps) : [];
  });
}
