/** Costs of the functions of libraries, as they run and as they are estimated: rows of `cel-library-costs.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import { estimateCost, type SizeAt } from '../../../runtime/expressions/costs/estimate.ts';
import { Environment } from '../../../runtime/expressions/environment/environment.ts';
import { AUTHORIZER, AuthorizerValue } from '../../../runtime/expressions/libraries/authorizer/authorizer-values.ts';
import { jsonPatchLibrary } from '../../../runtime/expressions/libraries/json-patch.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { uniformLiteralsLibrary } from '../../../runtime/expressions/libraries/literals.ts';
import { STRING } from '../../../runtime/expressions/types/type.ts';
import { tableRows } from '../../harness/tables.ts';
import { evaluate } from './evaluation.ts';

type Exact = number | { readonly rawJSON: string };

interface SizeRow {
  readonly min: number;
  readonly max: number;
}

interface Row {
  readonly name: string;
  readonly expression?: string;
  readonly runtimeCost?: number;
  readonly estimatedMin?: Exact;
  readonly estimatedMax?: Exact;
  readonly function?: string;
  readonly targetSize?: SizeRow;
  readonly argSizes?: readonly SizeRow[];
  readonly resultSize?: SizeRow;
}

/** In the environment of these rows, items of literals may be of several types. */
const LIBRARIES = [...kubernetesLibraries(32), jsonPatchLibrary].filter((library) => library !== uniformLiteralsLibrary);
const VARIABLES = { authorizer: { type: AUTHORIZER, value: new AuthorizerValue(() => ({ isAllowed: true, reason: '' })) } };

const test = suite('costs of libraries in 1.32');
const rows = tableRows<Row>('cel-library-costs.json');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const { name, expression, runtimeCost } of rows)
  if (expression !== undefined && runtimeCost !== undefined)
    test(`${name}, as it runs`, () => assert.is(evaluate(expression, LIBRARIES, VARIABLES, false).cost, Number(runtimeCost)));

/** In these rows, a text of unknown size has up to twelve characters. */
const unknownText: SizeAt = (_path, { kind }) => (kind === 'string' || kind === 'bytes' ? { min: 0n, max: 12n } : undefined);
const environment = new Environment({ libraries: LIBRARIES, mixedLiterals: true, variables: { authorizer: AUTHORIZER } });
const exact = (value: Exact): bigint => BigInt(typeof value === 'number' ? value : value.rawJSON);

for (const { name, expression, estimatedMin, estimatedMax } of tableRows<Row>('cel-library-costs.json', 'spelled'))
  if (expression !== undefined && estimatedMin !== undefined && estimatedMax !== undefined)
    test(`${name}, as it is estimated`, () =>
      assert.equal(estimateCost(compile(expression, environment), unknownText).cost, {
        min: exact(estimatedMin),
        max: exact(estimatedMax),
      }));

const range = ({ min, max }: SizeRow) => ({ min: BigInt(min), max: BigInt(max) });
for (const { name, function: called, targetSize, argSizes = [], resultSize } of rows)
  if (called !== undefined && targetSize !== undefined)
    test(`${name}, the size of the result`, () => {
      const node = compile('1', environment).root;
      const args = [targetSize, ...argSizes].map((size) => ({ node, type: STRING, size: range(size), madeSize: range(size) }));
      assert.equal(environment.findFunction(called)?.estimate?.(args, '')?.resultSize, range(resultSize as SizeRow));
    });
test.run();
