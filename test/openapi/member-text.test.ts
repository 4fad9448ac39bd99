import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstMember, memberText, memberValue } from '../../runtime/openapi/member-text.ts';

const test = suite('members of objects as bytes');

for (const name of ['a', '', 'ü"\\/\n', '__proto__'])
  test(`under the name ${JSON.stringify(name)}`, () => {
    const text = memberText(name, { é: [1, null] });
    assert.equal(Object.entries(JSON.parse(`{"b":1${text}}`))[1], [name, { é: [1, null] }]);
    assert.equal(Object.entries(JSON.parse(`{${firstMember(text)}}`)), [[name, { é: [1, null] }]]);
    assert.equal(memberValue(name, text), { é: [1, null] });
  });

test.run();
