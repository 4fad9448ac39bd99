import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenFile } from '../../runtime/authentication/token-file.ts';

const test = suite('token file');

test('reads tokens, users and quoted groups', () => {
  const file = new TokenFile('t1,alice,1001,"dev,qa"\r\n\nt2,bob,1002\n"t""3",carol,,one\nt4,"d\nave",,\n', 'tokens.csv');
  assert.equal(file.find('t1'), { name: 'alice', uid: '1001', groups: ['dev', 'qa', 'system:authenticated'], extra: {} });
  assert.equal(file.find('t2')?.groups, ['system:authenticated']);
  assert.is(file.find('t2')?.name, 'bob');
  assert.equal(file.find('t"3')?.groups, ['one', 'system:authenticated']);
  assert.is(file.find('t4')?.name, 'd\nave');
  assert.is(file.find(''), undefined);
  assert.is(file.find('t1 '), undefined);
  assert.equal(file.warnings, []);
});

test('empty tokens are left out, of repeated ones the last counts', () => {
  const file = new TokenFile(',alice,1\nt,bob,2\nt,carol,3', 'f.csv');
  assert.is(file.find('')?.name, undefined);
  assert.is(file.find('t')?.name, 'carol');
  assert.equal(file.warnings, ['f.csv:1: an empty token is ignored', 'f.csv:3: the token stands in an earlier line too, this one counts']);
});

for (const [line, message] of [
  ['t1', /f\.csv:2: a line needs/],
  ['t1,alice', /f\.csv:2: a line needs/],
  ['t1,al"ice,1', /f\.csv:2: a quote stands/],
  ['"t1"x,alice,1', /f\.csv:2: a quote stands/],
  ['"t1,alice,1', /f\.csv:2: a quoted column does not end/],
] as const)
  test(`${JSON.stringify(line)} is refused with its line`, () => assert.throws(() => new TokenFile(`ok,u,1\n${line}`, 'f.csv'), message));

test.run();
