/** Tests of single values as closures. */
import type { CheckStep, Limit, Shape, Test } from '../contract/constraint.ts';
import { tooLong, tooMany } from '../contract/field-error.ts';
import type { Predicate } from '../contract/kind.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import { valueAt } from '../schema/conditions.ts';
import { type Execute, type Holder, makeFinding, pathOf, type Run, resolved } from './execute.ts';
import { formatNamed } from './formats.ts';
import { detailOf, reasonOf } from './messages.ts';
import { hasMoreBytes, isLongerThan, isSame, isSet, isSpan, keyOf, numeric, shownKey, sizeOf } from './values.ts';

/** A whole value is held against it. */
export type PatternMaker = (source: string) => { test(value: string): boolean };

export interface CheckParts {
  /** patterns of users must be run in linear time */
  readonly pattern: PatternMaker;
  /** by `<file>#<export>`, as rules */
  predicate(name: string): Predicate<unknown, unknown>;
}

type Fails = (value: unknown, old: unknown, holder: Holder, context: RuleContext, scope: unknown) => boolean;

export function compileCheck(step: CheckStep, shape: Shape, parts: CheckParts): Execute {
  const { test } = step;
  if (test.name === 'unique') return uniqueCheck(step, test);
  if (test.name === 'format') return formatCheck(step, test.formats, shape);
  const fails = failsOf(test, shape, step.absent !== undefined, parts);
  return (given, old, holder, scope, run) => {
    const value = step.absent === undefined ? given : (given ?? step.absent.value);
    if (step.ratchet && old !== undefined && isSame(given, old)) return false;
    if (!fails(value, old, holder, run.context, scope)) return false;
    run.out.push(findingOf(step, value, shape, holder, run));
    return step.stop;
  };
}

/** Whether the value is there, so that its content can be looked at. */
function isPresent(value: unknown, { kind, pointer }: Shape): boolean {
  return value !== undefined && value !== null && !(kind === 'text' && !pointer && value === '');
}

function failsOf(test: Test, shape: Shape, given: boolean, parts: CheckParts): Fails {
  const whole = wholeTest(test, shape);
  if (whole !== undefined) return whole;
  const content = contentTest(test, parts);
  return (value, old, holder, context, scope) => (given || isPresent(value, shape)) && content(value, old, holder, context, scope);
}

/** Tests that say something of an absent value too. */
function wholeTest(test: Test, shape: Shape): Fails | undefined {
  switch (test.name) {
    case 'required':
      return (value) => !isSet(value, shape);
    case 'forbidden':
      return (value) => isSet(value, shape);
    case 'maxBytes':
      return (value) => hasMoreBytes(value as Record<string, string>, test.limit);
    case 'minItems':
    case 'minProperties':
      return (value) => sizeOf(value as object) < test.limit;
    case 'maxItems':
    case 'maxProperties':
      return (value) => sizeOf(value as object) > test.limit;
    case 'immutable':
      return (value, old) => !isSame(value, old);
    case 'noSet':
      return (value, old) => !isSet(old, shape) && isSet(value, shape);
    case 'noUnset':
      return (value, old) => isSet(old, shape) && !isSet(value, shape);
    case 'noModify':
      return (value, old) => isSet(old, shape) && isSet(value, shape) && !isSame(value, old);
    case 'noDecrease':
      return (value, old) => old !== undefined && old !== null && (value === undefined || value === null || numeric(value) < numeric(old));
    default:
      return undefined;
  }
}

function contentTest(test: Test, { pattern, predicate }: CheckParts): Fails {
  switch (test.name) {
    case 'enum':
      return (value, _old, _holder, context) => !test.values.some((each) => context.text(each) === value);
    case 'minimum':
      return compared(test.limit, (value, limit) => value < limit);
    case 'maximum':
      return compared(test.limit, (value, limit) => value > limit);
    case 'above':
      return compared(test.limit, (value, limit) => value <= limit);
    case 'below':
      return compared(test.limit, (value, limit) => value >= limit);
    case 'range':
      return (value) => numeric(value) < test.lowest || numeric(value) > test.highest;
    case 'span': {
      const [shortest, longest] = [BigInt(test.shortest), test.longest === undefined ? undefined : BigInt(test.longest)];
      return (value) => !isSpan(value as string, shortest, longest);
    }
    case 'minLength':
      return (value) => !isLongerThan(value as string, test.limit - 1);
    case 'maxLength':
      return (value) => isLongerThan(value as string, test.limit);
    case 'pattern': {
      const expression = pattern(test.pattern);
      return (value) => !expression.test(value as string);
    }
    case 'equals':
      return (value, _old, _holder, context) => value !== resolved(test.value, context);
    case 'neq':
      return (value, _old, _holder, context) => value === resolved(test.value, context);
    case 'holds': {
      const holds = predicate(test.rule);
      return (value, old, holder, context, scope) => !holds(value, test.comparing ? old : undefined, context, scope, holder.value);
    }
    default:
      throw new Error(`${test.name} is no test of a single value`);
  }
}

function compared(limit: Limit, fails: (value: number, limit: number) => boolean): Fails {
  if (typeof limit === 'number') return (value) => fails(numeric(value), limit);
  return (value, _old, holder) => {
    const neighbour = valueAt(holder.value, limit.path);
    return (limit.zero || neighbour !== undefined) && fails(numeric(value), numeric(neighbour));
  };
}

function findingOf(step: CheckStep, value: unknown, shape: Shape, holder: Holder, run: Run, message?: string) {
  const { test } = step;
  const { context } = run;
  const path = pathOf(run, holder, step.path ?? (step.ofHolder ? '' : undefined));
  const reason = step.as ?? reasonOf(test);
  if (reason === 'tooLong') return tooLong(path, step.limit ?? (test as { limit: number }).limit);
  if (reason === 'tooMany') return tooMany(path, sizeOf(value as object), (test as { limit: number }).limit);
  const own = step.ofHolder ? holder.value : shownValue(test, value, shape);
  const shown = step.shown === undefined ? own : resolved(step.shown.value, context);
  const detail = message ?? context.text(step.detail ?? detailOf(test));
  return makeFinding(reason, path, shown, detail, test.name === 'enum' ? test.values.map((each) => context.text(each)) : []);
}

const ZEROS: Readonly<Record<string, unknown>> = { text: '', number: 0, boolean: false };

/** An absent text is printed as an empty one, an absent number as 0. */
function shownValue(test: Test, value: unknown, { kind, pointer }: Shape): unknown {
  if (value !== undefined && value !== null) return value;
  if (!pointer && kind in ZEROS) return ZEROS[kind];
  return test.name === 'noDecrease' ? 0 : value;
}

function formatCheck(step: CheckStep, names: readonly string[], shape: Shape): Execute {
  const checkers = names.map(formatNamed);
  return (given, old, holder, _scope, run) => {
    if (step.absent === undefined && !isPresent(given, shape)) return false;
    if (step.ratchet && old !== undefined && isSame(given, old)) return false;
    const value = given ?? step.absent?.value;
    for (const check of checkers) {
      const found = check(value);
      if (found.length === 0) continue;
      if (step.join !== undefined)
        run.out.push(findingOf(step, value, shape, holder, run, found.map(({ message }) => message).join(step.join)));
      else if (step.detail === undefined)
        for (const { part, message } of found) run.out.push(findingOf(step, part, shape, holder, run, message));
      else run.out.push(findingOf(step, value, shape, holder, run));
      if (step.stop) return true;
    }
    return false;
  };
}

/** What elements before this one had is kept with the list, which begins a new set. */
function uniqueCheck(step: CheckStep, test: Extract<Test, { name: 'unique' }>): Execute {
  const [only, ...others] = test.keys;
  const member = only === undefined || others.length > 0 ? '' : `.${only}`;
  return (value, _old, holder, _scope, run) => {
    const seen = run.sets.get(test.set) as Set<string>;
    const key = keyOf(value, test.keys);
    const isRepeated = (test.countsUnset || key !== '') && seen.has(key);
    seen.add(key);
    if (!isRepeated) return false;
    const path = pathOf(run, holder, step.path, step.path === undefined ? member : '');
    const shown = step.shown === undefined ? shownKey(value, test.keys) : step.shown.value;
    run.out.push(makeFinding((step.as ?? 'duplicate') as 'duplicate', path, shown, run.context.text(step.detail ?? '')));
    return step.stop;
  };
}
