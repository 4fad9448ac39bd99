import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareKeys } from '../../runtime/go-yaml/key-order.ts';

const test = suite('the order of members in YAML');

const rows: readonly [name: string, sorted: readonly string[]][] = [
  ['the beginning of another', ['', 'a', 'ab', 'abc']],
  ['letters by their code', ['A', 'Z', 'a', 'é', '中']],
  ['what is no letter first', ['-a', '.', '_', 'a', 'a.b', 'a/b', 'aB']],
  ['numbers by their value', ['a2', 'a10', 'a011', 'a100']],
  ['zeros in front: the shorter first', ['a0', 'a00', 'a1', 'a01']],
  ['zeros inside of a number', ['a10', 'a100', 'a101', 'a110']],
  ['numbers beyond 2^53', ['a9007199254740992', 'a9007199254740993', 'a90071992547409930']],
];
for (const [name, sorted] of rows)
  test(name, () => {
    const mixed = [...sorted].reverse();
    assert.equal(mixed.sort(compareKeys), sorted);
  });

test.run();
