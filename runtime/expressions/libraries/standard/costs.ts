/** Units of functions that walk through their arguments, as 1.32 charges them. */
import { costSize } from '../../values/describe.ts';
import type { Value } from '../../values/value.ts';

/** Units for each code point, byte or item that is walked through. */
export const TRAVERSAL = 0.1;
/** Units for each code point of a pattern. */
export const PATTERN = 0.25;

export const traversalUnits = (value: Value | undefined): number => Math.ceil(costSize(value) * TRAVERSAL);
export const leastUnits = (a?: Value, b?: Value): number => Math.ceil(Math.min(costSize(a), costSize(b)) * TRAVERSAL);
export const addUnits = (a?: Value, b?: Value): number => Math.ceil((costSize(a) + costSize(b)) * TRAVERSAL);
/** An empty text costs something too, for the pattern may be long. */
export const matchUnits = (text?: Value, pattern?: Value): number =>
  Math.ceil((1 + costSize(text)) * TRAVERSAL) * Math.ceil(costSize(pattern) * PATTERN);
export const containsUnits = (text?: Value, part?: Value): number => traversalUnits(text) * traversalUnits(part);
