/** The units that 1.32 charges for functions that traverse their arguments. */
import { costSize } from '../../values/describe.ts';
import type { Value } from '../../values/value.ts';

/** Units for each code point, byte or item that is traversed. */
export const TRAVERSAL = 0.1;
/** Units for each code point of a pattern. */
export const PATTERN = 0.25;

export const traversalUnits = (value: Value | undefined): number => Math.ceil(costSize(value) * TRAVERSAL);
export const leastUnits = (a?: Value, b?: Value): number => Math.ceil(Math.min(costSize(a), costSize(b)) * TRAVERSAL);
export const addUnits = (a?: Value, b?: Value): number => Math.ceil((costSize(a) + costSize(b)) * TRAVERSAL);
/** One is added to the size of the text, so that a long pattern costs something even for an empty text. */
export const matchUnits = (text?: Value, pattern?: Value): number =>
  Math.ceil((1 + costSize(text)) * TRAVERSAL) * Math.ceil(costSize(pattern) * PATTERN);
export const containsUnits = (text?: Value, part?: Value): number => traversalUnits(text) * traversalUnits(part);
