import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findNumberErrors } from '../../../codegen/read/field-numbers.ts';

const rows: [name: string, body: string, found: string[]][] = [
  ['numbers in any order', 'optional string b = 2; repeated .x.Y a = 1; map<string, int32> c = 3;', []],
  ['gaps that are reserved', 'reserved 2, 4 to 6; optional string a = 1; optional string b = 3; optional string c = 7;', []],
  ['gaps that are not', 'reserved 2; optional string a = 1; optional string b = 5;', ['CS035 M: Neither used nor reserved: 3, 4.']],
  ['a number twice', 'optional string a = 1; optional string b = 1;', ['CS033 M.b: Number 1 is that of a already.']],
  ['a name twice', 'optional string a = 1; optional string a = 2;', ['CS033 M.a: There is another field named a.']],
  ['a reserved number', 'reserved 1 to max; optional string a = 1;', ['CS034 M.a: Number 1 or name a is reserved in the message.']],
  ['a reserved name', `reserved 'a', "b"; optional string a = 1;`, ['CS034 M.a: Number 1 or name a is reserved in the message.']],
  ['numbers in comments', '// optional string z = 9;\n/* optional string y = 8; */ optional string a = 1;', []],
  ['no fields', '', []],
];
const numbers = suite('field numbers');
for (const [name, body, found] of rows)
  numbers(name, () => {
    const errors = findNumberErrors(`syntax = "proto2";\nmessage M {\n${body}\n}\n`);
    assert.equal(
      errors.map(({ code, path, problem }) => `${code} ${path}: ${problem}`),
      found,
    );
  });
numbers('of each message by itself', () =>
  assert.equal(findNumberErrors('message A { optional string a = 1; }\nmessage B { optional string a = 1; }'), []),
);
numbers.run();
