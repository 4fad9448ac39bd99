/** The errors of values that break rules. */
import { duplicate, type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { goQuote } from '../../contract/go-quote.ts';
import type { LazyValue } from '../../expressions/plan/frame.ts';
import { ErrorValue, type Value } from '../../expressions/values/value.ts';
import type { ValidationRule } from '../custom-schema.ts';
import type { CompiledRule } from './compiled-rules.ts';

/** Limit of a computed message in bytes. */
const MAX_MESSAGE = 5 * 1024;
const LINE_BREAK = /[\n\r]/;

/** How messages name a rule. */
export const ruleText = ({ message, rule }: ValidationRule): string => (message ? message.trim() : rule.trim());

/** The message in the rule, or one that names the rule. */
const statedMessage = (rule: ValidationRule): string => (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`);

export function errorForReason({ reason }: ValidationRule, path: string, type: string, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, type);
    default:
      return invalid(path, type, detail);
  }
}

export interface Message {
  readonly text: string;
  readonly budget: number;
  /** whether no more rules are evaluated, for the reason in `text` */
  readonly isLast: boolean;
  /** the reason why the message could not be computed, so that the stated message is used */
  readonly failure?: string;
}

/**
 * @param budget units that the rules of the object may still cost
 * @param callLimit units that the message alone may cost
 */
export function messageOf(
  { rule, message }: CompiledRule,
  read: (variable: string) => Value | LazyValue,
  budget: number,
  callLimit: number,
): Message {
  if (message === undefined) return { text: statedMessage(rule), budget, isLast: false };
  const source = goQuote(rule.messageExpression as string);
  const { value, cost, isOverLimit } = message.program.evaluate(read, callLimit);
  const last = (text: string): Message => ({ text, budget: -1, isLast: true });
  if (cost > budget)
    return last('messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run');
  if (isOverLimit) return last(`no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`);
  const failure = problemOf(value);
  if (failure !== undefined) return { text: statedMessage(rule), budget: budget - cost, isLast: false, failure };
  return { text: (value as string).trim(), budget: budget - cost, isLast: false };
}

function problemOf(value: Value): string | undefined {
  if (value instanceof ErrorValue) return `messageExpression evaluation failed due to: ${value.message}`;
  if (typeof value !== 'string') return 'messageExpression failed to convert to string';
  const text = value.trim();
  if (Buffer.byteLength(text) > MAX_MESSAGE) return `messageExpression beyond allowable length of ${MAX_MESSAGE}`;
  if (LINE_BREAK.test(text)) return 'messageExpression should not contain line breaks';
  return text === '' ? 'messageExpression should evaluate to a non-empty string' : undefined;
}
