/**
 * What release 1.32 finds in custom resources, and in the schemas that they are held against. Rows of `crd-schema.json` in the folder that TABLES_DIR
 * names, by default beside the checkout.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import { validateCompleteness } from '../../runtime/kinds/apiextensions/structural-completeness.ts';
import { embeddedFindings } from '../../runtime/kinds/metadata/embedded-objects.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { listFindings } from '../../runtime/structural-schema/list-types.ts';
import { SELF } from '../../runtime/structural-schema/rules/declared-type.ts';
import { RuleCheck } from '../../runtime/structural-schema/rules/rule-check.ts';
import { SchemaCheck } from '../../runtime/structural-schema/schema-check.ts';
import { tableRows } from '../harness/tables.ts';

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: CustomSchema | null;
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly errors: readonly (string | { readonly text: string })[];
  readonly valid: boolean;
  readonly includeRoot?: boolean;
  readonly options: { readonly AllowValidationPropertiesWithAdditionalProperties: boolean };
}

const rows = tableRows<Row>('crd-schema.json');

const BUDGET = 10_000_000;

const textOf = ({ field, message }: FieldError): string => `${field === '' ? '<nil>' : field}: ${message}`;
/** 1.32 numbers the type of `self` by the time. */
const wanted = ({ errors }: Row) =>
  errors.map((error) => (typeof error === 'string' ? error : error.text).replaceAll(/selfType\d+/g, SELF)).sort();
/** 1.32 goes through maps in no order. */
const same = (found: readonly FieldError[], row: Row, at: (text: string) => string = (text) => text) =>
  assert.equal(found.map((error) => at(textOf(error))).sort(), wanted(row));

/** Where a value stands among others. */
const below = (name: string, schema: CustomSchema | null): CustomSchema => ({ type: 'object', properties: { [name]: schema ?? {} } });

const runners: Readonly<Record<string, (row: Row) => void>> = {
  validate(row) {
    const schema = row.schema ?? {};
    const rules = RuleCheck.of(schema, false)?.findings(row.object, row.oldObject ?? undefined, '', { budget: BUDGET, ratchets: true });
    const found = [...new SchemaCheck(schema).findings(row.object, row.oldObject ?? undefined), ...(rules?.errors ?? [])];
    // the row has the set of texts
    assert.equal([...new Set(found.map(textOf))].sort(), wanted(row));
  },
  ratcheting: ({ schema, object, oldObject, valid }) =>
    assert.is(new SchemaCheck(schema ?? {}).findings(object, oldObject).length === 0, valid),
  'list-type': (row) => same(listFindings(below('root', row.schema), { root: row.object }), row),
  'embedded-resource'(row) {
    const schema = { ...row.schema, 'x-kubernetes-embedded-resource': true };
    same(embeddedFindings(below('root', schema), { root: row.object }), row, (text) => text.replace(/^root\./, ''));
  },
  'objectmeta-validate'(row) {
    const schema = { ...row.schema, ...(row.includeRoot === true && { 'x-kubernetes-embedded-resource': true }) };
    same(embeddedFindings(below('root', schema), { root: row.object }), row, (text) => text.replace(/^root\.?/, ''));
  },
  completeness(row) {
    // an option that definitions are never held against
    if (row.options.AllowValidationPropertiesWithAdditionalProperties) return;
    const at = '.x';
    const found = validateCompleteness(row.schema as JSONSchemaProps, at, 'spec').map((error) => ({
      ...error,
      field: error.field.slice(at.length + 1),
    }));
    same(found, row, (text) => text.replaceAll(`spec${at}.`, ''));
  },
};

const test = suite('tables of values of custom resources');
const own = rows.filter((row) => runners[row.test] !== undefined);
if (own.length === 0) test.skip('no such rows beside the checkout', () => {});
for (const row of own) test(row.name, () => runners[row.test]?.(row));
test.run();
