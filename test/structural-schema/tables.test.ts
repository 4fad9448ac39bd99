/**
 * What release 1.32 finds in custom resources, and in the schemas that they are held against. Rows of `crd-schema.json` in the folder that TABLES_DIR
 * names, by default beside the checkout; those with rules in their schemas belong to the tests of rules.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import { validateCompleteness } from '../../runtime/kinds/apiextensions/structural-completeness.ts';
import { embeddedFindings } from '../../runtime/kinds/metadata/embedded-objects.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { untypedValue } from '../../runtime/schema/untyped.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { listFindings } from '../../runtime/structural-schema/list-types.ts';
import { SchemaCheck } from '../../runtime/structural-schema/schema-check.ts';

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: CustomSchema | null;
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly errors: readonly (string | { readonly text: string })[];
  readonly valid: boolean;
  readonly options: { readonly AllowValidationPropertiesWithAdditionalProperties: boolean };
}

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../shared/tables'), 'crd-schema.json');
const rows: readonly Row[] = existsSync(file) ? (untypedValue(parseJson(readFileSync(file, 'utf8')).value) as { rows: Row[] }).rows : [];

const textOf = ({ field, message }: FieldError): string => `${field === '' ? '<nil>' : field}: ${message}`;
const wanted = ({ errors }: Row) => errors.map((error) => (typeof error === 'string' ? error : error.text)).sort();
/** 1.32 goes through maps in no order. */
const same = (found: readonly FieldError[], row: Row, at: (text: string) => string = (text) => text) =>
  assert.equal(found.map((error) => at(textOf(error))).sort(), wanted(row));

/** Where a value stands among others. */
const below = (name: string, schema: CustomSchema | null): CustomSchema => ({ type: 'object', properties: { [name]: schema ?? {} } });

const runners: Readonly<Record<string, (row: Row) => void>> = {
  validate: (row) => same(new SchemaCheck(row.schema ?? {}).findings(row.object, row.oldObject ?? undefined), row),
  ratcheting: ({ schema, object, oldObject, valid }) =>
    assert.is(new SchemaCheck(schema ?? {}).findings(object, oldObject).length === 0, valid),
  'list-type': (row) => same(listFindings(below('root', row.schema), { root: row.object }), row),
  'embedded-resource'(row) {
    const schema = { ...row.schema, 'x-kubernetes-embedded-resource': true };
    same(embeddedFindings(below('root', schema), { root: row.object }), row, (text) => text.replace(/^root\./, ''));
  },
  'objectmeta-validate': (row) => same(embeddedFindings(row.schema ?? {}, row.object), row),
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
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows) {
  const run = runners[row.test];
  if (run !== undefined && !JSON.stringify(row).includes('x-kubernetes-validations')) test(row.name, () => run(row));
}
test.run();
