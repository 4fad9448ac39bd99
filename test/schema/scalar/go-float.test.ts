import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goFloat } from '../../../runtime/schema/scalar/go-float.ts';

const test = suite('schema/scalar/go-float');

for (const [value, text] of [
  [0, '0'],
  [3, '3'],
  [-0.5, '-0.5'],
  [0.0001, '0.0001'],
  [0.00016, '0.00016'],
  [0.000099, '9.9e-05'],
  [-0.00002, '-2e-05'],
  [0.000005, '5e-06'],
  [1.5e-12, '1.5e-12'],
  [100000, '100000'],
  [999999.5, '999999.5'],
  [1e6, '1e+06'],
  [-1234567.5, '-1.2345675e+06'],
  [1e20, '1e+20'],
  [1e21, '1e+21'],
  [1.2345678901234568e29, '1.2345678901234568e+29'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
] as const)
  test(`${value} is shown as ${text}`, () => {
    assert.is(goFloat(value), text);
  });

test.run();
