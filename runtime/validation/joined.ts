/** Lists of what checks have found, which is nearly always nothing: no list is made then. */
import { MOST_FINDINGS } from '../contract/field-error.ts';

export const NONE: readonly never[] = [];

/** What a check has found of each item of a list, which may be absent or null; ends when it is more than is told. */
export function foundInEach<T, F>(list: readonly T[] | null | undefined, check: (item: T, index: number) => readonly F[]): readonly F[] {
  if (list === undefined || list === null) return NONE;
  let all: F[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const found = check(list[index] as T, index);
    if (found.length === 0) continue;
    all ??= [];
    // one by one: there may be more than a call can have arguments
    for (const each of found) all.push(each);
    if (all.length > MOST_FINDINGS) break;
  }
  return all ?? NONE;
}

/** What several checks have found, in their order. */
export function joined<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  let all: readonly T[] = NONE;
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i] as readonly T[];
    if (list.length > 0) all = all.length === 0 ? list : [...all, ...list];
  }
  return all;
}
