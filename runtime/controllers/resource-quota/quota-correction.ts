/** What the status of a quota is to be, once the objects of its namespace are counted. A quota may limit tens of thousands of things: all of it goes in turns. */
import type { ApiObject } from '../../contract/object.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import { type Amounts, difference, isNegative } from '../../schema/scalar/amounts.ts';
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../schema/scalar/quantity.ts';

type List = Readonly<Record<string, string>>;

const hardOf = ({ spec }: ApiObject): List => spec?.hard ?? {};

function areSame(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && compareQuantities(parseQuantity(a), parseQuantity(b)) === 0);
}

/** Whether a quota's status says what it is to say. @param counted by names; those that nobody can count are missing */
export async function isSettled(quota: ApiObject, counted: Amounts): Promise<boolean> {
  const [hard, now, used]: [List, List | undefined, List] = [hardOf(quota), quota.status?.hard, quota.status?.used ?? {}];
  const names = Object.keys(hard);
  if (now === undefined || Object.keys(now).length !== names.length) return false;
  let isSame = Object.keys(used).every((name) => hard[name] !== undefined);
  await eachInTurns(names, (name) => {
    if (!isSame) return;
    const count = counted.get(name);
    isSame = areSame(hard[name], now[name]) && (count === undefined || isCount(used[name], count));
  });
  return isSame;
}

const isCount = (text: string | undefined, count: Quantity): boolean =>
  text !== undefined && compareQuantities(parseQuantity(text), count) === 0;

/**
 * @param quota as it is now
 * @param then the same quota when the objects were counted: what was taken of it since is not among them
 * @returns undefined where that does not say what is used now: it has to be counted again
 */
export async function correctedStatus(quota: ApiObject, then: ApiObject, counted: Amounts): Promise<ApiObject['status'] | undefined> {
  if (!(await haveSameSpec(quota, then))) return undefined;
  const [now, before]: [List, List] = [quota.status?.used ?? {}, then.status?.used ?? {}];
  const hard = hardOf(quota);
  const used: Record<string, string> = {};
  let isKnown = true;
  await eachInTurns(Object.keys(hard), (name) => {
    const [count, own, earlier] = [counted.get(name), now[name], before[name]];
    if (count === undefined) {
      if (own !== undefined) used[name] = own;
    } else if (own === undefined) used[name] = formatQuantity(count);
    else if (earlier === undefined) isKnown = false;
    else used[name] = formatQuantity(changedBy(parseQuantity(own), parseQuantity(earlier), count));
  });
  return isKnown ? { ...quota.status, hard: { ...hard }, used } : undefined;
}

async function haveSameSpec(a: ApiObject, b: ApiObject): Promise<boolean> {
  const { hard: _own, ...others }: ApiObject = a.spec ?? {};
  const { hard: _other, ...otherOthers }: ApiObject = b.spec ?? {};
  if (JSON.stringify(others) !== JSON.stringify(otherOthers)) return false;
  const [hard, other] = [hardOf(a), hardOf(b)];
  const names = Object.keys(hard);
  let isSame = names.length === Object.keys(other).length;
  await eachInTurns(names, (name) => {
    isSame &&= hard[name] === other[name];
  });
  return isSame;
}

/** @param then what was said to be used when `count` was */
function changedBy(now: Quantity, then: Quantity, count: Quantity): Quantity {
  const corrected = addQuantities(now, difference(count, then));
  return compareQuantities(corrected, count) === 0 || isNegative(corrected) ? count : corrected;
}
