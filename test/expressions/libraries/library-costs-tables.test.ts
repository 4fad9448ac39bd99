/** Costs of the functions of libraries, as they run and as they are estimated: rows of `cel-library-costs.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AUTHORIZER, AuthorizerValue } from '../../../runtime/expressions/libraries/authorizer/authorizer-values.ts';
import { jsonPatchLibrary } from '../../../runtime/expressions/libraries/json-patch.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { uniformLiteralsLibrary } from '../../../runtime/expressions/libraries/literals.ts';
import { tableRows } from '../../harness/tables.ts';
import { evaluate } from './evaluation.ts';

interface Row {
  readonly name: string;
  readonly expression?: string;
  readonly runtimeCost?: number;
}

/** In the environment of these rows, items of literals may be of several types. */
const LIBRARIES = [...kubernetesLibraries(32), jsonPatchLibrary].filter((library) => library !== uniformLiteralsLibrary);
const VARIABLES = { authorizer: { type: AUTHORIZER, value: new AuthorizerValue(() => ({ isAllowed: true, reason: '' })) } };

const test = suite('costs of libraries in 1.32');
for (const { name, expression, runtimeCost } of tableRows<Row>('cel-library-costs.json'))
  if (expression !== undefined && runtimeCost !== undefined)
    test(`${name}, as it runs`, () => assert.is(evaluate(expression, LIBRARIES, VARIABLES, false).cost, Number(runtimeCost)));
test.run();
