/** Decisions on a request, and its failure: who may set them, and how they fit together. */
import { duplicate, type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachItem, neededOneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const PATH = 'status.conditions';
const DECISIONS = ['Approved', 'Denied'];
const FINAL = [...DECISIONS, 'Failed'];
const STATUSES = ['False', 'True', 'Unknown'];

export function conditionsOf({ status }: ApiObject): readonly Struct[] {
  return status?.conditions ?? [];
}

const ofType = (object: ApiObject, type: string): Struct[] => conditionsOf(object).filter((condition) => condition.type === type);

export function validateConditions(object: ApiObject): readonly FieldError[] {
  const types = new Set<string>();
  return eachItem(conditionsOf(object), PATH, ({ type = '', status }, at) => {
    const opposite = DECISIONS.find((decision) => decision !== type) as string;
    const errors = [
      ...(type === '' ? [required(`${at}.type`)] : []),
      ...neededOneOf(status, `${at}.status`, FINAL.includes(type) ? ['True'] : STATUSES),
      ...(DECISIONS.includes(type) && types.has(opposite)
        ? [invalid(`${at}.type`, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(types.has(type) ? [duplicate(`${at}.type`, type)] : []),
    ];
    types.add(type);
    return errors;
  });
}

/** What has been decided stays. */
export function validateNoneRemoved(object: ApiObject, old: ApiObject): readonly FieldError[] {
  return FINAL.filter((type) => ofType(object, type).length < ofType(old, type).length).map((type) =>
    forbidden(PATH, `updates may not remove a condition of type ${JSON.stringify(type)}`),
  );
}

/** Decisions are set through their own subresource only. */
export function validateDecisionsKept(object: ApiObject, old: ApiObject): readonly FieldError[] {
  return DECISIONS.flatMap((type) => {
    const [now, before] = [ofType(object, type), ofType(old, type)];
    if (now.length > before.length) return [forbidden(PATH, `updates may not add a condition of type ${JSON.stringify(type)}`)];
    if (now.length < before.length || deepEqual(now, before)) return [];
    return [forbidden(PATH, `updates may not modify a condition of type ${JSON.stringify(type)}\n`)];
  });
}

/** Takes the decisions from the old object where as many of them are there; changes `object`. */
export function keepDecisions(object: ApiObject, old: ApiObject): void {
  for (const type of DECISIONS) {
    const before = ofType(old, type);
    if (before.length === 0 || ofType(object, type).length !== before.length) continue;
    object.status.conditions = conditionsOf(object).map((condition) => (condition.type === type ? before.shift() : condition));
  }
}

/** Times that a writer leaves out are now; a status that stays keeps the time of its transition. Changes `object`. */
export function fillTimes(object: ApiObject, old: ApiObject, now: string): void {
  if (conditionsOf(object).length === 0) return;
  object.status.conditions = conditionsOf(object).map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? transitionTime(condition, old) ?? now,
  }));
}

function transitionTime({ type, status }: Struct, old: ApiObject): string | undefined {
  return conditionsOf(old).find((before) => before.type === type && before.status === status && before.lastTransitionTime)
    ?.lastTransitionTime;
}
