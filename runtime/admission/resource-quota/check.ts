/** What a write takes of the quotas of its namespace, or why it may not: the rules, their order and the words are those of 1.32. */
import type { ApiObject } from '../../contract/object.ts';
import { type Amounts, amountText, excess, isNegative, only, sum } from '../../schema/scalar/amounts.ts';
import { compareQuantities } from '../../schema/scalar/quantity.ts';
import { newUnknown, type StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { Evaluator } from './evaluator.ts';
import { type LimitedResource, scopesText } from './limited-resources.ts';
import type { Quota } from './quota.ts';

/** A quota, with what was taken of it since it was stored. */
export interface Running {
  readonly quota: Quota;
  readonly used: Amounts;
}

export interface Asked {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: Evaluator;
  readonly limited: readonly LimitedResource[];
  /** milliseconds since 1970 */
  readonly now: number;
  /** The error of one that may not be written, and why. */
  refuse(cause: string): StatusError;
}

/** @returns by names, what is used of those quotas of which the write takes something. @throws StatusError */
export function check(quotas: readonly Running[], asked: Asked): ReadonlyMap<string, Amounts> {
  const { attributes, evaluator, now } = asked;
  const object = attributes.object as ApiObject;
  const about = quotas.filter(({ quota }) => quota.isAbout(evaluator, object));
  for (const { quota } of about) requireKnown(quota, asked);
  const usage = evaluator.usage(object, now);
  const negative = [...usage].filter(([, quantity]) => isNegative(quantity)).map(([name]) => name);
  if (negative.length > 0) throw asked.refuse(`quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const taken = about.map((running) => ({ ...running, more: nonZero(takenOf(running.quota, usage, asked)) }));
  const takesAny = about.length > 0 ? taken.some(({ more }) => more.size > 0) : nonZero(takenAnywhere(usage, asked)).size > 0;
  if (!takesAny) return NOTHING;
  requireCovered(quotas, about, usage, asked);
  return new Map(
    taken
      .filter(({ more }) => more.size > 0)
      .map((each) => [
        each.quota.name,
        usedWith(
          each,
          only(each.more, (name) => each.quota.hard.has(name)),
          asked,
        ),
      ]),
  );
}

const NOTHING: ReadonlyMap<string, Amounts> = new Map();
const nonZero = (amounts: Amounts): Amounts => only(amounts, (_, { unscaled }) => unscaled !== 0n);

/** @throws StatusError where an object lacks what the quota needs, and where the quota does not say how much is used */
function requireKnown(quota: Quota, { attributes, evaluator, refuse }: Asked): void {
  const names = quota.counted(evaluator);
  const missing = evaluator.missing?.(attributes.object as ApiObject, names);
  if (missing !== undefined) throw refuse(`failed quota: ${quota.name}: ${missing}`);
  if (names.some((name) => !quota.used.has(name))) throw refuse(`status unknown for quota: ${quota.name}, resources: ${names.join(',')}`);
}

/** Returns what a write takes from a quota: if the quota was about the object before, only what it uses more than then. */
function takenOf(quota: Quota, usage: Amounts, asked: Asked): Amounts {
  const { operation, old } = asked.attributes;
  if (operation !== 'update' || old === undefined || !quota.isAbout(asked.evaluator, old)) return usage;
  return takenAnywhere(usage, asked);
}

function takenAnywhere(usage: Amounts, { attributes: { operation, old }, evaluator, now }: Asked): Amounts {
  return operation === 'update' && old !== undefined ? excess(usage, evaluator.usage(old, now)) : usage;
}

/** @throws StatusError where something may not be used without a quota for it, and there is none */
function requireCovered(quotas: readonly Running[], about: readonly Running[], usage: Amounts, asked: Asked): void {
  const { attributes, evaluator, limited } = asked;
  if (limited.length === 0) return;
  const covered = new Set(about.flatMap(({ quota }) => quota.counted(evaluator)));
  const uncovered = limitedNames(usage, asked).filter((name) => !covered.has(name));
  if (uncovered.length > 0) throw asked.refuse(`insufficient quota to consume: ${uncovered.join(',')}`);
  const isIn = (requirement: Parameters<NonNullable<Evaluator['isIn']>>[0]): boolean =>
    evaluator.isIn?.(requirement, attributes.object as ApiObject) === true;
  const limitedScopes = limited.flatMap(({ matchScopes = [] }) => matchScopes.filter(isIn));
  if (limitedScopes.length === 0) return;
  const coveredScopes = new Set(quotas.flatMap(({ quota }) => quota.requirements.filter(isIn).map(({ scopeName }) => scopeName)));
  const open = limitedScopes.filter(({ scopeName }) => !coveredScopes.has(scopeName));
  // 1.32 does not say that this is forbidden: its answer is that of an error that nobody expected.
  if (open.length > 0) throw newUnknown(`insufficient quota to match these scopes: ${scopesText(open)}`);
}

function limitedNames(usage: Amounts, { attributes, limited }: Asked): string[] {
  const { group, resource } = attributes.resource.groupResource;
  const texts = limited
    .filter((each) => (each.apiGroup ?? '') === group && each.resource === resource)
    .flatMap(({ matchContains = [] }) => matchContains);
  return [...usage]
    .filter(([name, { unscaled }]) => unscaled > 0n && texts.some((text) => name.includes(text)))
    .map(([name]) => name)
    .sort();
}

/** @throws StatusError where that is more than there may be */
function usedWith({ quota, used }: Running, more: Amounts, { refuse }: Asked): Amounts {
  const now = sum(used, more);
  const exceeded = [...more.keys()].filter((name) => compareQuantities(at(now, name), at(quota.hard, name)) > 0).sort();
  if (exceeded.length === 0) return now;
  const shown = (amounts: Amounts): string =>
    exceeded.flatMap((name) => (amounts.has(name) ? `${name}=${amountText(at(amounts, name))}` : [])).join(',');
  const cause = `exceeded quota: ${quota.name}, requested: ${shown(more)}, used: ${shown(used)}, limited: ${shown(quota.hard)}`;
  throw refuse(cause);
}

const at = (amounts: Amounts, name: string) => amounts.get(name) as NonNullable<ReturnType<Amounts['get']>>;
