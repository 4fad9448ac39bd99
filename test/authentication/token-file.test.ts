import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenFile } from '../../runtime/authentication/token-file.ts';

const test = suite('token file');

test('reads tokens, users and quoted groups', () => {
  const file = new TokenFile('t1,alice,1001,"dev,qa"\n\nt2, bob ,1002\n"t""3",carol,,one\n', 'tokens.csv');
  assert.equal(file.find('t1'), { name: 'alice', uid: '1001', groups: ['dev', 'qa', 'system:authenticated'], extra: {} });
  assert.equal(file.find('t2')?.groups, ['system:authenticated']);
  assert.is(file.find('t2')?.name, 'bob');
  assert.equal(file.find('t"3')?.groups, ['one', 'system:authenticated']);
  assert.is(file.find(''), undefined);
  assert.is(file.find('t1 '), undefined);
});

for (const line of ['t1', 't1,alice', ',alice,1', 't1,,1']) {
  test(`${JSON.stringify(line)} is refused with its line`, () =>
    assert.throws(() => new TokenFile(`ok,u,1\n${line}`, 'f.csv'), /f\.csv:2: a line needs/));
}

test.run();
