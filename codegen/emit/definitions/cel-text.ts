/** Writes tests and conditions of constraints as expressions in rules of definitions (CEL). */
import type { Condition, ConditionValue, MemberTest } from '../../../runtime/contract/condition.ts';
import type { Limit, Test } from '../../../runtime/contract/constraint.ts';
import { formatExpression } from './formats.ts';
import type { SchemaNode } from './schema-node.ts';
import { nodeAt } from './schema-node.ts';

/** Words of the language. An expression names a member of such a name as `__name__`. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** @returns the name of a member in an expression; undefined if it holds characters that this writer does not escape */
function memberName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.includes('__') ? name : undefined;
}

/** @returns an expression such as `self.a.b`; undefined if an expression cannot name one of the members */
export function access(path: readonly string[], from = 'self'): string | undefined {
  const names = path.map(memberName);
  return names.includes(undefined) ? undefined : [from, ...names].join('.');
}

/** @returns an expression such as `has(self.a) && has(self.a.b)` */
export function present(path: readonly string[], from = 'self'): string {
  return path.map((_, index) => `has(${access(path.slice(0, index + 1), from)})`).join(' && ');
}

export const literal = (value: ConditionValue): string => (typeof value === 'string' ? quoted(value) : String(value));
const quoted = (text: string): string => JSON.stringify(text);

/**
 * @param value the expression of the value
 * @param node the schema of the value
 * @param limitOf gives a limit as an expression; undefined if it has none
 * @returns undefined if no expression says the same as the test
 */
export function testExpression(
  test: Test,
  value: string,
  node: SchemaNode,
  limitOf: (limit: Limit) => string | undefined,
): string | undefined {
  const isNumber = node.type === 'integer' || node.type === 'number';
  const compared = (operator: string, limit: Limit): string | undefined => {
    const of = limitOf(limit);
    return !isNumber || of === undefined ? undefined : `${value} ${operator} ${of}`;
  };
  switch (test.name) {
    case 'enum':
      return node.type === 'string' ? `${value} in [${test.values.map(quoted).join(', ')}]` : undefined;
    case 'minimum':
      return compared('>=', test.limit);
    case 'maximum':
      return compared('<=', test.limit);
    case 'above':
      return compared('>', test.limit);
    case 'below':
      return compared('<', test.limit);
    case 'range':
      return isNumber ? `${value} >= ${test.lowest} && ${value} <= ${test.highest}` : undefined;
    case 'span':
      return node.type === 'string' ? spanExpression(value, test.shortest, test.longest) : undefined;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return `size(${value}) >= ${test.limit}`;
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return `size(${value}) <= ${test.limit}`;
    case 'pattern':
      return node.type === 'string' ? `${value}.matches(${quoted(wholePattern(test.pattern))})` : undefined;
    case 'format':
      return joined(test.formats.map((format) => formatExpression(format, value, node)));
    case 'equals':
      return `${value} == ${literal(test.value)}`;
    case 'neq':
      return `${value} != ${literal(test.value)}`;
    default:
      return undefined;
  }
}

/** @returns a pattern that a whole value matches, in the syntax of definitions (RE2), which does not know the class `[^]` of all characters */
export const wholePattern = (pattern: string): string => `^(?:${pattern.replaceAll('[^]', '(?s:.)')})$`;

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.map((part) => `(${part})`).join(' && ');
}

/** The limits are written as nanoseconds, a unit that literals of durations may have. */
function spanExpression(value: string, shortest: string, longest: string | undefined): string {
  const nanoseconds = (digits: string): string => `duration('${digits}ns')`;
  const most = longest === undefined ? '' : ` && duration(${value}) <= ${nanoseconds(longest)}`;
  return `duration(${value}) >= ${nanoseconds(shortest)}${most}`;
}

/**
 * @param holder the schema of the struct at which the condition's paths begin, which is `self`
 * @returns undefined if an expression cannot name one of the members
 */
export function conditionExpression(when: Condition | readonly Condition[], holder: SchemaNode): string | undefined {
  const all = [when].flat().map((condition) => {
    const tests = Object.entries(condition).map(([path, test]) => memberExpression(path.split('.'), test, holder));
    return tests.length === 0 ? 'true' : joined(tests);
  });
  return all.includes(undefined) ? undefined : all.length === 1 ? all[0] : all.map((each) => `(${each})`).join(' || ');
}

function memberExpression(path: readonly string[], test: MemberTest, holder: SchemaNode): string | undefined {
  const value = access(path);
  if (value === undefined) return undefined;
  // A member that the schema leaves out because its feature gate is off is always absent.
  if (nodeAt(holder, path) === undefined) return String(holdsForAbsent(test));
  const there = present(path);
  if (typeof test !== 'object') return valueExpression([test], value, there);
  if (Array.isArray(test)) return valueExpression(test as ConditionValue[], value, there);
  if ('not' in test) return `!(${valueExpression([test.not].flat() as ConditionValue[], value, there)})`;
  if ('present' in test) return test.present ? there : `!(${there})`;
  if ('above' in test) return `${there} && ${value} > ${test.above}`;
  return 'below' in test ? `${there} && ${value} < ${test.below}` : undefined;
}

function holdsForAbsent(test: MemberTest): boolean {
  const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false;
  if (typeof test !== 'object') return isZero(test);
  if (Array.isArray(test)) return test.some(isZero);
  if ('not' in test) return ![test.not].flat().some(isZero);
  return 'present' in test && !test.present;
}

/** A member that is absent counts as having its zero value, because objects are written without it then. */
function valueExpression(values: readonly ConditionValue[], value: string, there: string): string {
  const isOne =
    values.length === 1 ? `${value} == ${literal(values[0] as ConditionValue)}` : `${value} in [${values.map(literal).join(', ')}]`;
  return values.some((each) => each === '' || each === 0 || each === false) ? `!(${there}) || ${isOne}` : `${there} && ${isOne}`;
}
