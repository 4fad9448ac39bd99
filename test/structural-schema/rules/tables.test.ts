/** What release 1.32 finds by rules of schemas, and what they cost: rows of `cel-rules.json` and `cel-costs.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { CustomSchema } from '../../../runtime/structural-schema/custom-schema.ts';
import { memberPath } from '../../../runtime/structural-schema/member-paths.ts';
import { compileRules, estimateOf } from '../../../runtime/structural-schema/rules/compiled-rules.ts';
import { declaredType, SELF } from '../../../runtime/structural-schema/rules/declared-type.ts';
import { RuleCheck, type RuleFindings } from '../../../runtime/structural-schema/rules/rule-check.ts';
import { newRules } from '../../../runtime/structural-schema/rules/rule-environments.ts';
import { tableRows } from '../../harness/tables.ts';

interface Expected {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
}

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: CustomSchema;
  readonly object: unknown;
  readonly oldObject?: unknown;
  readonly isRoot: boolean;
  readonly costBudget?: number;
  readonly perCallLimit?: number;
  readonly remainingBudget?: number;
  readonly cost?: number;
  readonly errors: readonly Expected[];
  readonly warnings?: readonly string[];
  readonly valid?: readonly { readonly rule: string; readonly cost: number }[];
  readonly invalid?: readonly { readonly rule: string; readonly errors: readonly Expected[]; readonly expectSkipped?: boolean }[];
  readonly fieldPath?: string;
  readonly resolved?: string;
  readonly error?: string | null;
}

const BUDGET = 10_000_000;
/** What these cost depends on the order in which a map is gone through: 1.32 has none, and the table has what one run cost. */
const UNORDERED: ReadonlySet<string> = new Set(['self.val.map(k, self.val[k]).exists(v, v == 1)']);
const withRule = (schema: CustomSchema, rule: string): CustomSchema => ({ ...schema, 'x-kubernetes-validations': [{ rule }] });
/** The type of `self` has a name that 1.32 makes of the time. */
const SELF_TYPE = /selfType\d+/g;
const details = (errors: readonly Expected[]) =>
  errors.map(({ type, field, detail }) => `${type} ${field} ${detail.replace(SELF_TYPE, SELF)}`).sort();
const found = (errors: readonly FieldError[]) =>
  errors
    .map(
      ({ reason, field, message }) =>
        `${reason} ${field} ${message.replace(/^(?:Invalid value: "[^"]*"|Forbidden|Required value|Duplicate value: "[^"]*")(?:: )?/, '')}`,
    )
    .sort();

function run(schema: CustomSchema, { object, oldObject, warnings }: Row, isRoot: boolean, budget: number): RuleFindings {
  // the rows about it are those with warnings
  const ratchets = warnings !== undefined;
  const check = RuleCheck.of(schema, isRoot);
  return check?.findings(object, oldObject ?? undefined, 'root', { budget, ratchets }) ?? { errors: [], warnings: [], budget };
}

const checkWhole = (row: Row): void => {
  const budget = row.costBudget ?? BUDGET;
  const outcome = run(row.schema, row, row.isRoot, budget);
  assert.equal(found(outcome.errors), details(row.errors));
  if (row.warnings !== undefined)
    assert.equal(outcome.warnings.map(({ field, message }) => `${field}: ${message}`).sort(), row.warnings.toSorted());
  if (row.remainingBudget !== undefined) assert.is(outcome.budget, row.remainingBudget);
  if (row.cost !== undefined) assert.is(budget - outcome.budget, row.cost);
};

const checkEach = (row: Row): void => {
  const budget = row.costBudget ?? BUDGET;
  const wrong: unknown[] = [];
  for (const { rule, cost } of row.valid ?? []) {
    const outcome = run(withRule(row.schema, rule), row, row.isRoot, budget);
    const isRight = budget - outcome.budget === cost || UNORDERED.has(rule);
    if (outcome.errors.length > 0 || !isRight) wrong.push({ rule, cost, given: budget - outcome.budget, errors: found(outcome.errors) });
  }
  for (const { rule, errors, expectSkipped } of row.invalid ?? []) {
    const given = found(run(withRule(row.schema, rule), row, true, budget).errors);
    const expected = expectSkipped === true ? [] : details(errors);
    if (JSON.stringify(given) !== JSON.stringify(expected)) wrong.push({ rule, expected, given });
  }
  assert.equal(wrong, []);
};

const runners: Readonly<Record<string, (row: Row) => void>> = {
  expressions: checkEach,
  'recursion-depth': checkEach,
  'field-path'({ schema, fieldPath, resolved, error }) {
    const path = memberPath(schema, fieldPath as string);
    assert.is('problem' in path ? path.problem : null, error);
    if (!('problem' in path)) assert.is(path.field, resolved);
  },
};

const test = suite('rules of schemas');
const rows = tableRows<Row>('cel-rules.json');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows) test(row.name, () => (runners[row.test] ?? checkWhole)(row));
test.run();

interface CostRow {
  readonly name: string;
  readonly schema: CustomSchema;
  readonly object?: unknown;
  readonly rules: Readonly<Record<string, { readonly cost?: number; readonly estimated: number | { rawJSON: string } | null }>>;
  readonly estimateSchema?: CustomSchema;
  readonly estimates?: Readonly<Record<string, number | { rawJSON: string }>>;
}

function estimated(schema: CustomSchema, source: string): string | null {
  const declared = declaredType(schema, false);
  if (declared === undefined) return null;
  const [compiled] = compileRules([{ rule: source }], declared, { environmentOf: newRules });
  return compiled?.condition === undefined ? null : String(estimateOf(compiled.condition, declared).cost.max);
}

const text = (value: number | { rawJSON: string } | null): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : value.rawJSON;

const costs = suite('costs of rules');
const costRows = tableRows<CostRow>('cel-costs.json');
/** Estimates with all their digits. */
const exactRows = tableRows<CostRow>('cel-costs.json', 'spelled');
if (costRows.length === 0) costs.skip('no tables beside the checkout', () => {});
for (const [index, row] of costRows.entries()) {
  const exact = exactRows[index] as CostRow;
  costs(row.name, () => {
    const wrong: unknown[] = [];
    for (const [rule, { cost }] of Object.entries(row.rules)) {
      const wanted = exact.rules[rule]?.estimated ?? null;
      const estimate = estimated(row.schema, rule);
      if (estimate !== text(wanted)) wrong.push({ rule, wanted: text(wanted), estimate });
      if (cost === undefined) continue;
      const { budget, errors } = run(withRule(row.schema, rule), { ...row, oldObject: undefined } as unknown as Row, true, BUDGET);
      if (errors.length > 0 || (BUDGET - budget !== cost && !UNORDERED.has(rule)))
        wrong.push({ rule, cost, given: BUDGET - budget, errors: found(errors) });
    }
    for (const [rule, wanted] of Object.entries(exact.estimates ?? {})) {
      const estimate = estimated(row.estimateSchema as CustomSchema, rule);
      if (estimate !== text(wanted)) wrong.push({ rule, wanted: text(wanted), estimate });
    }
    assert.equal(wrong, []);
  });
}
costs.run();
