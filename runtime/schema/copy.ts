import { isObject, type JsonObject, setMember } from './json/member.ts';

/** A container whose members have yet to be copied. */
interface Pending {
  readonly from: unknown[] | JsonObject;
  readonly to: unknown[] | JsonObject;
}

/** Copies a JSON value of any depth without recursion. Only raw numbers are shared, which are frozen. */
export function copyValue<T>(value: T): T {
  const pending: Pending[] = [];
  const copy = begin(value, pending);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { from, to } = next;
    if (Array.isArray(from)) for (const item of from) (to as unknown[]).push(begin(item, pending));
    else for (const name of Object.keys(from)) setMember(to as JsonObject, name, begin(from[name], pending));
  }
  return copy as T;
}

function begin(value: unknown, pending: Pending[]): unknown {
  const to = Array.isArray(value) ? [] : isObject(value) ? {} : undefined;
  if (to === undefined) return value;
  pending.push({ from: value as Pending['from'], to });
  return to;
}
