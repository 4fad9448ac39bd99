/** Conditions and paths as expressions; they mean what `runtime/schema/conditions.ts` makes of them at run time. */
import type { Condition, MemberTest } from '../../../runtime/contract/condition.ts';
import { isObject } from '../../read/sources.ts';
import { literal, propertyName, quote } from '../typescript.ts';

/** @param holder an expression. @param path names of members. @param optional the holder may be absent */
export function memberExpression(holder: string, path: readonly string[], optional = false): string {
  return path.reduce((at, name, index) => {
    if (name in Object.prototype) return `(Object.hasOwn(${at} ?? {}, ${quote(name)}) ? ${at}[${quote(name)}] : undefined)`;
    const dotted = propertyName(name) === name;
    if (index === 0 && !optional) return dotted ? `${at}.${name}` : `${at}[${quote(name)}]`;
    return dotted ? `${at}?.${name}` : `${at}?.[${quote(name)}]`;
  }, holder);
}

export function conditionExpression(condition: Condition | readonly Condition[], holder: string): string {
  if (Array.isArray(condition)) return condition.map((each) => `(${conditionExpression(each, holder)})`).join(' || ');
  const tests = Object.entries(condition).map(([path, test]) => testExpression(memberExpression(holder, path.split('.')), test));
  return tests.length === 0 ? 'true' : tests.join(' && ');
}

function testExpression(value: string, test: MemberTest): string {
  if (!isObject(test)) return isOneOf(value, test as never);
  if ('present' in test) return test.present === true ? `${value} != null` : `${value} == null`;
  if ('above' in test) return `${value} != null && numeric(${value}) > ${test.above}`;
  if ('below' in test) return `${value} != null && numeric(${value}) < ${test.below}`;
  return `!(${isOneOf(value, test.not as never)})`;
}

function isOneOf(value: string, values: string | number | boolean | readonly (string | number | boolean)[]): string {
  const list = [values].flat();
  const tests = list.map((each) => `${value} === ${textOrLiteral(each)}`);
  return list.length === 1 ? (tests[0] as string) : `(${tests.join(' || ')})`;
}

/** Text with identity placeholders is resolved where the function runs. */
export function textOrLiteral(value: unknown): string {
  return typeof value === 'string' && value.includes('${') ? `context.text(${quote(value)})` : literal(value);
}
