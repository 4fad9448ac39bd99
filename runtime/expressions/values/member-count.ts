/**
 * How many members the objects have that expressions see. There may be many, and an expression may ask for each element of a list: an evaluation counts those
 * of an object once. Between evaluations nothing is kept, because objects may change then.
 */
let counted: WeakMap<object, number> | undefined;

/** Up to so many are counted sooner than found again. */
const FEW = 64;

/** @param json does not change while an expression is evaluated. @param count counts its members */
export function memberCount(json: object, count: () => number): number {
  const known = counted?.get(json);
  if (known !== undefined) return known;
  const members = count();
  if (members > FEW) {
    counted ??= new WeakMap();
    counted.set(json, members);
  }
  return members;
}

/** Is called when an evaluation begins. */
export function forgetMemberCounts(): void {
  counted = undefined;
}
