/** Numbers, or percentages of a whole. */
import { Notation } from '../contract/field-error.ts';
import { NO_FINDINGS, type PartFinding } from './joined-names.ts';
import { NOTHING, patternMessage } from './messages.ts';

export type IntOrString = number | string;

const PERCENT = '[0-9]+%';
const percentPattern = new RegExp(`^${PERCENT}$`);
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%');

/** A share such as `25%`, which may be more than all. */
export function percent(value: string): readonly string[] {
  return percentPattern.test(value) ? NOTHING : [PERCENT_MESSAGE];
}

/** A number that is not negative, or a percentage. */
export function intOrPercent(value: IntOrString): readonly PartFinding[] {
  if (typeof value === 'number') return value < 0 ? [{ part: value, message: 'must be greater than or equal to 0' }] : NO_FINDINGS;
  return percent(value).map((message) => ({ part: inGo(value), message }));
}

/** A number, or a percentage of 100 at most; texts of another form are let through. */
export function atMostAll(value: IntOrString): readonly PartFinding[] {
  const tooMuch = typeof value === 'string' && percentPattern.test(value) && Number.parseInt(value, 10) > 100;
  return tooMuch ? [{ part: inGo(value), message: 'must not be greater than 100%' }] : NO_FINDINGS;
}

/** As Go prints the structure that holds either. */
export function inGo(value: IntOrString): Notation {
  const [type, number, text] = typeof value === 'number' ? [0, value, ''] : [1, 0, value];
  return new Notation(`intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${JSON.stringify(text)}}`);
}
