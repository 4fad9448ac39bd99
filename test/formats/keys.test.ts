import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configMapKey, environmentName, httpHeaderName, strictEnvironmentName } from '../../runtime/formats/keys.ts';
import { relativePath, unreservedPath } from '../../runtime/formats/paths.ts';
import { portName, portNumber } from '../../runtime/formats/ports.ts';

const test = suite('keys, ports and paths');

const formats: [string, (value: string) => readonly string[], string, number][] = [
  ['port name', portName, 'http', 0],
  ['port name', portName, '80', 1],
  ['port name', portName, 'a--b', 1],
  ['port name', portName, '-a', 1],
  ['port name', portName, 'a'.repeat(16), 1],
  ['port name', portName, 'a-', 1],
  ['port name', portName, 'a%', 1],
  ['port name', portName, '-', 2],
  ['port name', portName, `${'-'.repeat(16)}%`, 5],
  ['key', configMapKey, 'a'.repeat(253), 0],
  ['key', configMapKey, 'a'.repeat(254), 1],
  ['key', configMapKey, `..${'%'.repeat(252)}`, 3],
  ['key', configMapKey, 'A_b.c-d', 0],
  ['key', configMapKey, '.', 1],
  ['key', configMapKey, '..', 1],
  ['key', configMapKey, '...', 1],
  ['key', configMapKey, '', 1],
  ['variable', environmentName, 'a b.c-d/9', 0],
  ['variable', environmentName, 'a=', 1],
  ['variable', environmentName, 'é', 1],
  ['variable', environmentName, '', 1],
  ['strict variable', strictEnvironmentName, 'a.b-C_9', 0],
  ['strict variable', strictEnvironmentName, 'a b', 1],
  ['strict variable', strictEnvironmentName, '9a', 1],
  ['strict variable', strictEnvironmentName, '..a', 1],
  ['header', httpHeaderName, 'X-A', 0],
  ['header', httpHeaderName, 'X A', 1],
];
for (const [what, check, value, count] of formats) test(`${what} ${JSON.stringify(value)}`, () => assert.is(check(value).length, count));

test('ports', () => {
  assert.equal([1, 65_535].flatMap(portNumber), []);
  for (const port of [undefined, 0, -1, 65_536]) assert.equal(portNumber(port), ['must be between 1 and 65535, inclusive']);
});

test('paths', () => {
  assert.equal(relativePath('a/..b/c'), []);
  assert.is(relativePath('/a/../b').length, 2);
  assert.is(unreservedPath('..a').length, 1);
  assert.is(unreservedPath('../a').length, 1);
  assert.is(unreservedPath('..').length, 2);
});

test.run();
