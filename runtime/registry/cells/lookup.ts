/** Compiles paths to functions that follow them in a value. These functions never throw, whatever the value is. */
import { type PathCondition, type PathStep, parsePath } from '../../schema/json/json-path.ts';

/** Follows a path. @returns the value there; undefined if there is none, or null */
export type Lookup = (value: unknown) => unknown;

export const SELF: Lookup = (value) => value ?? undefined;

/** Finds the first value at a path. @throws PathError */
export function firstAt(path: string): Lookup {
  return follow(parsePath(path), SELF);
}

/** Finds the last value at a path. @throws PathError */
export function lastAt(path: string): Lookup {
  let last: unknown;
  const visit = follow(parsePath(path), (each) => {
    last = each ?? last;
    return undefined;
  });
  return (value) => {
    last = undefined;
    visit(value);
    return last;
  };
}

/** Finds all values at a path, in their order. @throws PathError */
export function allAt(path: string): (value: unknown) => unknown[] {
  let found: unknown[] = [];
  const collect = follow(parsePath(path), (each) => {
    if (each !== undefined && each !== null) found.push(each);
    return undefined;
  });
  return (value) => {
    found = [];
    collect(value);
    return found;
  };
}

/** @param next what is done with each value that the steps lead to; the first that it does not leave undefined is the result */
export function follow(steps: readonly PathStep[], next: Lookup): Lookup {
  const names: string[] = [];
  for (const step of steps) {
    if (step.kind !== 'member' || !isOwnName(step.name)) break;
    names.push(step.name);
  }
  if (names.length === 0) return steps.length === 0 ? next : followStep(steps[0] as PathStep, follow(steps.slice(1), next));
  return members(names, names.length === steps.length ? next : follow(steps.slice(names.length), next));
}

/** Whether no object or list has such a member by itself, so that it can be read without asking whose it is. */
function isOwnName(name: string): boolean {
  return !(name in Array.prototype) && !/^\d+$/.test(name);
}

function members(names: readonly string[], next: Lookup): Lookup {
  const [first, second] = names as [string, string];
  if (next === SELF && names.length === 1) return (value) => memberOf(value, first);
  if (next === SELF && names.length === 2) return (value) => memberOf(memberOf(value, first), second);
  return (value) => {
    let at = value;
    for (let i = 0; i < names.length; i++) {
      if (at === null || typeof at !== 'object') return undefined;
      at = (at as Record<string, unknown>)[names[i] as string];
    }
    return at === undefined ? undefined : next(at);
  };
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? ((value as Record<string, unknown>)[name] ?? undefined) : undefined;
}

function followStep(step: PathStep, next: Lookup): Lookup {
  switch (step.kind) {
    case 'member':
      return (value) => (isMap(value) && Object.hasOwn(value, step.name) ? next(value[step.name]) : undefined);
    case 'element':
      return (value) => (Array.isArray(value) ? next(value.at(step.index)) : undefined);
    case 'all':
      return (value) => firstOf(value, next);
    case 'filter': {
      const holds = conditionsOf(step.conditions);
      return (value) => firstOf(value, (each) => (holds(each) ? next(each) : undefined));
    }
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function firstOf(value: unknown, next: Lookup): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  const all: unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let i = 0; i < all.length; i++) {
    const found = next(all[i]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function conditionsOf(conditions: readonly PathCondition[]): (value: unknown) => boolean {
  const [first, ...others] = conditions.map(conditionOf);
  if (first === undefined) return () => true;
  return others.reduce((one, other) => (value) => one(value) && other(value), first);
}

function conditionOf({ path, operator, value: literal }: PathCondition): (value: unknown) => boolean {
  const at = follow(path, SELF);
  if (operator === undefined) return (value) => at(value) !== undefined;
  return (value) => ((at(value) ?? null) === literal) === (operator === '==');
}
