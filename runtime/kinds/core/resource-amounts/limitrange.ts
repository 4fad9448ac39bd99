import { randomUUID } from 'node:crypto';
import type { LimitRange, LimitRangeItem } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../../contract/kind-rules.ts';
import { RESOURCE_QUANTITY } from '../../../go-diff/go-quantity.ts';
import { goSyntax } from '../../../go-diff/go-syntax.ts';
import { approximately, compare } from './quantities.ts';
import { allowsOvercommit } from './resource-names.ts';

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];

export function isLimitType(type: string): boolean {
  return type.includes('/') || TYPES.includes(type);
}

/** A claim asks for storage, so there is nothing else to limit. */
export function boundsStorage({ min, max }: LimitRangeItem): boolean {
  return min?.storage !== undefined || max?.storage !== undefined;
}

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

type List = (typeof LISTS)[number];
/** Of one resource, by the lists that have it. */
type Amounts = Readonly<Partial<Record<List, string>>>;

/** What is wrong with an amount of a list. */
interface Problem {
  readonly list: List;
  /** the amount that is shown */
  readonly shown: string | undefined;
  readonly detail: string;
}

/** How the amounts of each resource fit together; pods have no defaults. */
export function bounds(item: LimitRangeItem, _old: unknown, context: RuleContext): readonly FieldError[] {
  const lists = item.type === 'Pod' ? LISTS.filter((list) => list !== 'default' && list !== 'defaultRequest') : LISTS;
  const names = new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})));
  return [...names].flatMap((name) => {
    const amounts: Amounts = Object.fromEntries(
      lists.filter((list) => Object.hasOwn(item[list] ?? {}, name)).map((list) => [list, item[list]?.[name]]),
    );
    const problems = [...orderProblems(amounts), ...ratioProblems(amounts), ...commitmentProblems(name, amounts, context)];
    return problems.map(({ list, shown, detail }) =>
      invalid(`.${list}[${name}]`, new Notation(goSyntax(RESOURCE_QUANTITY, shown)), detail),
    );
  });
}

/** Amounts of which the first may not be greater than the second, with the list that is reported, and the one whose amount is shown. */
const ORDER: readonly {
  readonly lists: readonly [List, List];
  readonly at: List;
  readonly shows: List;
  readonly words: readonly [string, string];
}[] = [
  { lists: ['min', 'max'], at: 'min', shows: 'min', words: ['min value', 'max value'] },
  { lists: ['min', 'defaultRequest'], at: 'defaultRequest', shows: 'defaultRequest', words: ['min value', 'default request value'] },
  { lists: ['defaultRequest', 'max'], at: 'defaultRequest', shows: 'defaultRequest', words: ['default request value', 'max value'] },
  {
    lists: ['defaultRequest', 'default'],
    at: 'defaultRequest',
    shows: 'defaultRequest',
    words: ['default request value', 'default limit value'],
  },
  { lists: ['min', 'default'], at: 'default', shows: 'min', words: ['min value', 'default value'] },
  { lists: ['default', 'max'], at: 'default', shows: 'max', words: ['default value', 'max value'] },
];

function orderProblems(amounts: Amounts): Problem[] {
  return ORDER.flatMap(({ lists: [low, high], at, shows, words }) => {
    const [less, more] = [amounts[low], amounts[high]];
    if (less === undefined || more === undefined || compare(less, more) <= 0) return [];
    return [{ list: at, shown: amounts[shows], detail: `${words[0]} ${less} is greater than ${words[1]} ${more}` }];
  });
}

function ratioProblems({ maxLimitRequestRatio: ratio, min, max }: Amounts): Problem[] {
  if (ratio === undefined) return [];
  const problem = (detail: string): Problem => ({ list: 'maxLimitRequestRatio', shown: ratio, detail: `ratio ${ratio} is ${detail}` });
  const problems = compare(ratio, '1') < 0 ? [problem('less than 1')] : [];
  if (min === undefined || max === undefined) return problems;
  const limit = approximately(max) / approximately(min);
  if (approximately(ratio) > limit) problems.push(problem(`greater than max/min = ${limit.toFixed(6)}`));
  return problems;
}

function commitmentProblems(name: string, { default: limit, defaultRequest: request }: Amounts, context: RuleContext): Problem[] {
  if (limit === undefined || request === undefined || compare(limit, request) === 0 || allowsOvercommit(name, context)) return [];
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [{ list: 'defaultRequest', shown: request, detail }];
}

export const rules: KindRules<LimitRange> = {
  /** The one kind that 1.32 names by itself where nobody does. */
  prepareForCreate(object) {
    object.metadata.name ||= randomUUID();
  },
};
