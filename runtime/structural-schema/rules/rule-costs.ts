/** Estimates the highest costs of the rules of a definition. */
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { CostSource } from '../../expressions/costs/estimate.ts';
import { UNBOUNDED } from '../../expressions/environment/declarations.ts';
import type { CustomSchema } from '../custom-schema.ts';
import { type CompiledExpression, estimateOf } from './compiled-rules.ts';
import { atLeastNone, type DeclaredType, declaredAt } from './declared-type.ts';
import { DEFINITION_LIMIT, RULE_LIMIT } from './limits.ts';

/** How often values of a schema may occur in one object. */
export interface Cardinality {
  /** undefined: as often as they fit into a request */
  readonly most: bigint | undefined;
  /** path of the unlimited list or map, and the keyword that would limit it */
  readonly unbounded?: { readonly path: string; readonly keyword: string };
}

export const ONCE: Cardinality = { most: 1n };

/** How often values below a schema may occur. Its type alone says whether it multiplies them: other keywords have no meaning there. */
export function cardinalityBelow(schema: Around, outer: Cardinality, path: string): Cardinality {
  if (schema.type === 'array') return within(outer, schema.maxItems, path, 'maxItems');
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  return isMap ? within(outer, schema.maxProperties, path, 'maxProperties') : outer;
}

interface Around extends Pick<CustomSchema, 'type' | 'maxItems' | 'maxProperties'> {
  readonly additionalProperties?: unknown;
}

/** @param most limit in the schema; undefined: there is none */
function within(outer: Cardinality, most: number | undefined, path: string, keyword: string): Cardinality {
  if (most === undefined) return { most: undefined, unbounded: outer.unbounded ?? { path, keyword } };
  return { ...outer, most: outer.most === undefined ? undefined : bounded(outer.most * atLeastNone(most)) };
}

const bounded = (cost: bigint): bigint => (cost > UNBOUNDED ? UNBOUNDED : cost);

/** Lower costs are not reported. */
const WORTH_TELLING = DEFINITION_LIMIT / 100n;
const MOST_TOLD = 4;

/** The total costs of the rules of a schema. */
export class TotalCost {
  /** whether single rules may exceed their limit, because they are stored already */
  readonly areRulesKnown: boolean;
  total = 0n;
  readonly #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  constructor(areRulesKnown: boolean) {
    this.areRulesKnown = areRulesKnown;
  }

  add(path: string, cost: bigint): void {
    this.total = bounded(this.total + cost);
    if (cost < WORTH_TELLING) return;
    const index = this.#expensive.findIndex((each) => each.cost < cost);
    this.#expensive.splice(index < 0 ? this.#expensive.length : index, 0, { path, cost });
    this.#expensive.length = Math.min(this.#expensive.length, MOST_TOLD);
  }

  /** the most expensive rule is the first */
  get expensive(): readonly { readonly path: string; readonly cost: bigint }[] {
    return this.#expensive;
  }

  /** @param path of the whole schema */
  findings(path: string): readonly FieldError[] {
    if (this.total <= DEFINITION_LIMIT) return [];
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((each) => forbidden(each.path, contributed)),
      forbidden(
        path,
        exceeded('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', this.total, DEFINITION_LIMIT),
      ),
    ];
  }
}

function exceeded(what: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? 'more than 100x' : `${factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** An expression of a rule with its place. */
export interface PricedExpression {
  readonly expression: CompiledExpression;
  readonly declared: DeclaredType;
  readonly path: string;
  readonly what: 'rule' | 'messageExpression';
  readonly cardinality: Cardinality;
  /** see `Identity` */
  readonly explainsCosts: boolean;
}

/** @param total the cost is added to it */
export function costFindings(
  { expression, declared, path, what, cardinality, explainsCosts }: PricedExpression,
  total: TotalCost,
): readonly FieldError[] {
  const { cost, sources } = estimateOf(expression, declared);
  const fitting = BigInt(Math.floor((3 * 1024 * 1024) / (declared.minSize + 1)));
  const times = what === 'messageExpression' ? 1n : (cardinality.most ?? fitting);
  const all = bounded(cost.max * times);
  total.add(path, all);
  if (all <= RULE_LIMIT || total.areRulesKnown) return [];
  const message = exceeded(`estimated ${what} cost`, all, RULE_LIMIT);
  const hint = explainsCosts && cost.max > 0n ? remedy(expression, declared, sources, times > 1n ? cardinality : ONCE) : '';
  return [forbidden(path, `${message}${hint}`)];
}

/** Names the expensive part of an expression, and the limit that would reduce its cost. */
function remedy(
  { checked }: CompiledExpression,
  declared: DeclaredType,
  sources: readonly CostSource[],
  { unbounded }: Cardinality,
): string {
  const place = ({ path }: CostSource) => (path === undefined ? undefined : declaredAt(declared, path));
  const worst = sources
    .filter((source) => place(source)?.missingBound !== undefined)
    .reduce<CostSource | undefined>((most, each) => (most === undefined || each.cost.max > most.cost.max ? each : most), undefined);
  if (worst !== undefined) {
    const text = checked.parsed.source.slice(worst.node.from, worst.node.to);
    return `. Most of it comes from ${JSON.stringify(text)}: ${valueText(worst.path ?? [])} has no ${place(worst)?.missingBound}`;
  }
  return unbounded === undefined ? '' : `. The rule runs for each of many values: ${unbounded.path} has no ${unbounded.keyword}`;
}

/** A path in the form of expressions, such as `self.items[*].name`. */
const valueText = (path: readonly string[]): string =>
  path.map((part, index) => (part.startsWith('@') ? (part === '@keys' ? ' (its keys)' : '[*]') : index === 0 ? part : `.${part}`)).join('');
