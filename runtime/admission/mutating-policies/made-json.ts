/** What expressions have made, as JSON of a bounded length. */
import { type JsonForm, jsonOf, TooMuchJson } from '../../expressions/values/json-of.ts';
import type { Value } from '../../expressions/values/value.ts';
import { LongObject } from '../../registry/long-value.ts';

/** Characters: what no request may be longer than. */
const LIMIT = 3 * 1024 * 1024;
/** Characters from which it takes long to make an object of it. */
const LONG = 32 * 1024;

/** @param worksLong whether this thread may take long. @throws NoJson, LongObject */
export function madeJson(value: Value, form: JsonForm, worksLong: boolean): unknown {
  if (worksLong) return jsonOf(value, form, LIMIT);
  try {
    return jsonOf(value, form, LONG);
  } catch (error) {
    throw error instanceof TooMuchJson ? new LongObject() : error;
  }
}

/** Whether it takes long to make an object of it. */
export const isLongJson = (json: unknown): boolean => JSON.stringify(json).length > LONG;
