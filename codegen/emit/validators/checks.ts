/** Single tests as expressions: when they fail, and what is found then. */
import type { CheckStep, Limit, Shape, Test } from '../../../runtime/contract/constraint.ts';
import { detailOf, reasonOf } from '../../../runtime/validation/messages.ts';
import { literal } from '../typescript.ts';
import { memberExpression, textOrLiteral } from './conditions.ts';
import type { ModuleWriter } from './module-writer.ts';
import { presentExpression, type Subject } from './subject.ts';

/** Whether a value is set, for a value that is not known to be there. */
export function setExpression(value: string, shape: Shape): string {
  if (shape.pointer) return `${value} != null`;
  switch (shape.kind) {
    case 'text':
      return value;
    case 'number':
      return `(${value} ?? 0) !== 0`;
    case 'boolean':
      return `${value} === true`;
    case 'list':
      return `(${value}?.length ?? 0) > 0`;
    case 'map':
      return `sizeOf(${value}) > 0`;
    default:
      return `${value} != null`;
  }
}

/** @param given the value is there: what stands for an absent one is part of its expression */
export function failExpression(module: ModuleWriter, test: Test, subject: Subject, given: boolean): string {
  const { value, old, shape } = subject;
  const isThere = given || (shape.kind === 'number' && !shape.pointer);
  const there = isThere ? '' : `${presentExpression(subject)} && `;
  const set = (at: string): string => module.condition(setExpression(at, shape));
  switch (test.name) {
    case 'required':
      return `!(${set(value)})`;
    case 'forbidden':
      return set(value);
    case 'enum':
      return `${there}!${module.texts(test.values)}.includes(${value})`;
    case 'minimum':
      return `${there}${compared(module, subject, '<', test.limit)}`;
    case 'maximum':
      return `${there}${compared(module, subject, '>', test.limit)}`;
    case 'above':
      return `${there}${compared(module, subject, '<=', test.limit)}`;
    case 'below':
      return `${there}${compared(module, subject, '>=', test.limit)}`;
    case 'range':
      return `${there}(${numberOf(module, subject)} < ${test.lowest} || ${numberOf(module, subject)} > ${test.highest})`;
    case 'span':
      return `${there}!${module.use('isSpan')}(${value}, ${test.shortest}n, ${test.longest === undefined ? 'undefined' : `${test.longest}n`})`;
    case 'minLength':
      return `${there}!${module.use('isLongerThan')}(${value}, ${test.limit - 1})`;
    case 'maxLength':
      return `${there}${module.use('isLongerThan')}(${value}, ${test.limit})`;
    case 'maxBytes':
      return `${module.use('hasMoreBytes')}(${value}, ${test.limit})`;
    case 'minItems':
    case 'minProperties':
      return `${module.use('sizeOf')}(${value}) < ${test.limit}`;
    case 'maxItems':
    case 'maxProperties':
      return `${module.use('sizeOf')}(${value}) > ${test.limit}`;
    case 'pattern':
      return `${there}!${module.pattern(test.pattern)}.test(${value})`;
    case 'equals':
      return `${there}${value} !== ${textOrLiteral(test.value)}`;
    case 'neq':
      return `${there}${value} === ${textOrLiteral(test.value)}`;
    case 'holds':
      return `${there}!${module.predicateCall(test, subject)}`;
    case 'immutable':
      return `!${module.use('isSame')}(${value}, ${old})`;
    case 'noSet':
      return `!(${set(old)}) && ${set(value)}`;
    case 'noUnset':
      return `${set(old)} && !(${set(value)})`;
    case 'noModify':
      return `${set(old)} && ${set(value)} && !${module.use('isSame')}(${value}, ${old})`;
    case 'noDecrease':
      return `${old} != null && (${value} == null || ${module.use('numeric')}(${value}) < ${module.use('numeric')}(${old}))`;
    default:
      throw new Error(`${test.name} is no test of a single value`);
  }
}

function numberOf(module: ModuleWriter, { value, shape }: Subject): string {
  return shape.wide === true ? `${module.use('numeric')}(${value})` : value;
}

function compared(module: ModuleWriter, subject: Subject, operator: string, limit: Limit): string {
  const value = numberOf(module, subject);
  if (typeof limit === 'number') return `${value} ${operator} ${limit}`;
  const neighbour = memberExpression(subject.holder, limit.path);
  const number = `${module.use('numeric')}(${neighbour})`;
  return limit.zero ? `${value} ${operator} ${number}` : `${neighbour} != null && ${value} ${operator} ${number}`;
}

/** @param message an expression for the detail; absent: what the step or the test says */
export function findingExpression(module: ModuleWriter, step: CheckStep, subject: Subject, message?: string): string {
  const { test } = step;
  const reason = step.as ?? reasonOf(test);
  const stated = step.path ?? (step.ofHolder ? '' : undefined);
  const path = stated === undefined ? subject.path : joined(subject.holderPath, stated);
  const at = `\`${path}\``;
  const detail = message ?? textOrLiteral(step.detail ?? detailOf(test));
  const own = step.ofHolder ? subject.holder : shownValue(step, subject);
  const value = step.shown === undefined ? own : textOrLiteral(step.shown.value);
  const call = module.use(reason as never);
  switch (reason) {
    case 'required':
      return detail === "''" ? `${call}(${at})` : `${call}(${at}, ${detail})`;
    case 'forbidden':
    case 'internal':
      return `${call}(${at}, ${detail})`;
    case 'notSupported':
      return `${call}(${at}, ${value}, ${test.name === 'enum' ? module.texts(test.values) : '[]'})`;
    case 'duplicate':
    case 'notFound':
      return `${call}(${at}, ${value})`;
    case 'tooLong':
      return `${call}(${at}, ${step.limit ?? (test as { limit: number }).limit})`;
    case 'tooMany':
      return `${call}(${at}, ${module.use('sizeOf')}(${subject.value}), ${(test as { limit: number }).limit})`;
    default:
      return `${call}(${at}, ${value}, ${detail})`;
  }
}

/** An absent text is printed as an empty one, an absent number as 0. */
function shownValue({ test }: CheckStep, { value, shape }: Subject): string {
  if (test.name !== 'noDecrease' && test.name !== 'immutable' && test.name !== 'noUnset' && test.name !== 'required') return value;
  const zero = shape.pointer ? undefined : { text: "''", number: '0', boolean: 'false' }[shape.kind as string];
  if (zero !== undefined) return `${value} ?? ${zero}`;
  return test.name === 'noDecrease' ? `${value} ?? 0` : value;
}

/** @param path from the holder */
export function joined(holder: string, path: string): string {
  return path === '' || path.startsWith('[') ? `${holder}${path}` : `${holder}.${literal(path).slice(1, -1)}`;
}
