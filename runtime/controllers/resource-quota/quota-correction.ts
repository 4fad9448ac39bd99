/** What the status of a quota is to be, once the objects of its namespace are counted. */

import type { ApiObject } from '../../contract/object.ts';
import { type Amounts, amountsOf, areEqual, difference, isNegative, listOf, only } from '../../kinds/core/amounts.ts';
import { addQuantities, compareQuantities, type Quantity } from '../../schema/scalar/quantity.ts';

/** Whether a quota's status says what it is to say. @param counted by names; those that nobody can count are missing */
export function isSettled({ spec, status }: ApiObject, counted: Amounts): boolean {
  const hard = amountsOf(spec?.hard);
  const used = amountsOf(status?.used);
  if (status?.hard === undefined || !areEqual(hard, amountsOf(status.hard))) return false;
  const wanted = only(counted, (name) => hard.has(name));
  const known = only(used, (name) => wanted.has(name));
  return areEqual(wanted, known) && [...used.keys()].every((name) => hard.has(name));
}

/**
 * @param quota as it is now
 * @param then the same quota when the objects were counted: what was taken of it since is not among them
 * @returns undefined where that does not say what is used now: it has to be counted again
 */
export function correctedStatus(quota: ApiObject, then: ApiObject, counted: Amounts): ApiObject['status'] | undefined {
  if (JSON.stringify(quota.spec) !== JSON.stringify(then.spec)) return undefined;
  const before = amountsOf(then.status?.used);
  const now = amountsOf(quota.status?.used);
  const used = new Map<string, Quantity>();
  for (const name of Object.keys(quota.spec?.hard ?? {})) {
    const [count, own, earlier] = [counted.get(name), now.get(name), before.get(name)];
    if (count === undefined) {
      if (own !== undefined) used.set(name, own);
    } else if (own === undefined) used.set(name, count);
    else if (earlier === undefined) return undefined;
    else used.set(name, changedBy(own, earlier, count));
  }
  return { ...quota.status, hard: { ...quota.spec?.hard }, used: listOf(used) };
}

/** @param then what was said to be used when `count` was */
function changedBy(now: Quantity, then: Quantity, count: Quantity): Quantity {
  const corrected = addQuantities(now, difference(count, then));
  return compareQuantities(corrected, count) === 0 || isNegative(corrected) ? count : corrected;
}
