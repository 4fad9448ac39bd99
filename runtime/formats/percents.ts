/** Numbers, or percentages of a whole. */
import { Notation } from '../contract/field-error.ts';
import { goQuote } from '../contract/go-quote.ts';
import { NO_FINDINGS, type PartFinding } from './joined-names.ts';
import { NOTHING, patternMessage } from './messages.ts';

export type IntOrString = number | string;

const PERCENT = '[0-9]+%';
const percentPattern = new RegExp(`^${PERCENT}$`);
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%');

/** Accepts a percentage such as `25%`, which may exceed 100. */
export function percent(value: string): readonly string[] {
  return percentPattern.test(value) ? NOTHING : [PERCENT_MESSAGE];
}

/** Accepts a number of at least zero, or a percentage. */
export function intOrPercent(value: IntOrString): readonly PartFinding[] {
  if (typeof value === 'number') return value < 0 ? [{ part: value, message: 'must be greater than or equal to 0' }] : NO_FINDINGS;
  return percent(value).map((message) => ({ part: inGo(value), message }));
}

/** Accepts a number, a percentage of at most 100, and texts of any other form. */
export function atMostAll(value: IntOrString): readonly PartFinding[] {
  const tooMuch = typeof value === 'string' && percentPattern.test(value) && Number.parseInt(value, 10) > 100;
  return tooMuch ? [{ part: inGo(value), message: 'must not be greater than 100%' }] : NO_FINDINGS;
}

/** The value as Go prints its struct IntOrString. */
export function inGo(value: IntOrString): Notation {
  const [type, number, text] = typeof value === 'number' ? [0, value, ''] : [1, 0, value];
  return new Notation(`intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${goQuote(text)}}`);
}
