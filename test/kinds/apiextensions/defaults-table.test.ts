/** What release 1.32 finds in defaults of schemas: rows of `crd-schema.json` in the folder of tables. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { validateDefaults } from '../../../runtime/kinds/apiextensions/definition-defaults.ts';
import { tableRows } from '../../harness/tables.ts';
import { ruleContext } from '../context.ts';

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: JSONSchemaProps;
  readonly costBudget: number;
  readonly errors: readonly { readonly text: string }[];
}

/** 1.32 goes through properties in no order: which default is the last that the budget allows is not said. */
const LAST = /^\S+(?=: Invalid value: "\w*": validation failed due to running out of cost budget)/;

const test = suite('a table of defaults');
const rows = tableRows<Row>('crd-schema.json').filter((row) => row.test === 'default-validation');
if (rows.length === 0) test.skip('no such rows beside the checkout', () => {});
for (const { name, schema, costBudget, errors } of rows)
  test(name, () => {
    const found = validateDefaults(schema, 'test', { prunedDefaults: false }, ruleContext(), costBudget);
    assert.equal(
      found.map(({ field, message }) => `${field}: ${message}`.replace(LAST, '')).sort(),
      errors.map(({ text }) => text.replace(LAST, '')).sort(),
    );
  });
test.run();
