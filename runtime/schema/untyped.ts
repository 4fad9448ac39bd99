/** Handles JSON values without a type: they are kept, except that numbers that are no integers become doubles. */

import { type JsonObject, setMember } from './json/member.ts';
import { isRawNumber, untypedNumber } from './scalar/raw-number.ts';
import { malformed } from './scalar/scalar-error.ts';

/** @returns the same value if nothing changes @throws ScalarError for a number that exceeds doubles */
export function untypedValue(value: unknown): unknown {
  return holdsSpelling(value) ? rewrite(value) : value;
}

/** Whether the value contains a raw number. It does not recurse, because values may be deeper than the stack. */
function holdsSpelling(value: unknown): boolean {
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (isRawNumber(next)) return true;
    if (Array.isArray(next)) for (const element of next) pushContainer(pending, element);
    else if (typeof next === 'object' && next !== null) {
      for (const name in next) pushContainer(pending, (next as JsonObject)[name]);
    }
  }
  return false;
}

function pushContainer(pending: unknown[], value: unknown): void {
  if (typeof value === 'object' && value !== null) pending.push(value);
}

/** @param value neither an object nor a list @throws ScalarError for a number that exceeds doubles */
export function untypedScalar(value: unknown): unknown {
  if (!isRawNumber(value)) return value;
  const number = untypedNumber(value);
  if (number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY)
    throw malformed(`json: cannot unmarshal number ${value.rawJSON} into Go value of type float64`);
  return number;
}

interface Copying {
  readonly from: JsonObject;
  readonly to: JsonObject;
  /** of the members that are not copied yet, the next one last */
  readonly names: string[];
}

/** Goes through the values in their order, and without recursion as well. */
function rewrite(value: unknown): unknown {
  const root: JsonObject = {};
  const pending: Copying[] = [{ from: { value }, to: root, names: ['value'] }];
  for (let last = pending.at(-1); last !== undefined; last = pending.at(-1)) {
    const name = last.names.pop();
    if (name === undefined) pending.pop();
    else {
      const from = last.from[name];
      const isScalar = typeof from !== 'object' || from === null || isRawNumber(from);
      const to = isScalar ? untypedScalar(from) : Array.isArray(from) ? [] : {};
      setMember(last.to, name, to);
      if (!isScalar) pending.push({ from: from as JsonObject, to: to as JsonObject, names: Object.keys(from).reverse() });
    }
  }
  return root.value;
}
