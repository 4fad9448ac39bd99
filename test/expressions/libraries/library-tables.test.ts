/** Values and errors of libraries: rows of `cel-library.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FormatValue } from '../../../runtime/expressions/libraries/formats/named-formats.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { semverLibrary } from '../../../runtime/expressions/libraries/semver.ts';
import { typeNameOf } from '../../../runtime/expressions/values/describe.ts';
import { ErrorValue, ListValue, OpaqueValue, Optional, type Value } from '../../../runtime/expressions/values/value.ts';
import { tableRows } from '../../harness/tables.ts';
import { evaluate } from './evaluation.ts';

interface Expected {
  readonly type: string;
  readonly value: unknown;
}
interface Row {
  readonly name: string;
  readonly expression: string;
  readonly expected?: Expected;
  readonly compileErrorsMatch?: readonly string[];
  readonly compileErrors?: readonly string[];
  readonly runtimeErrorMatches?: string;
  readonly runtimeErrorIs?: string;
  readonly runtimeError?: string;
}

const LIBRARIES = [...kubernetesLibraries(32), semverLibrary];

function shown(value: Value): Expected {
  const type = typeNameOf(value);
  if (value instanceof Optional) return { type, value: value.value === undefined ? null : shown(value.value) };
  if (value instanceof ListValue) return { type, value: [...value].map(shown) };
  if (value instanceof FormatValue) return { type, value: value.name };
  if (value instanceof OpaqueValue) return { type, value: String(value) };
  return { type, value: typeof value === 'bigint' ? Number(value) : value };
}

const plainNumbers = (expected: unknown): unknown => JSON.parse(JSON.stringify(expected));

function compileError(expression: string): string {
  try {
    evaluate(expression, LIBRARIES, {}, false);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const test = suite('values of libraries as 1.32 has them');
const rows = tableRows<Row>('cel-library.json');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows)
  test(row.name, () => {
    if (row.compileErrors !== undefined) {
      const message = compileError(row.expression);
      for (const error of row.compileErrors) assert.ok(message.includes(error), message);
      return;
    }
    const { value } = evaluate(row.expression, LIBRARIES, {}, false);
    if (row.expected !== undefined) assert.equal(shown(value), plainNumbers(row.expected));
    else assert.is(value instanceof ErrorValue ? value.message : shown(value), row.runtimeError);
  });
test.run();
