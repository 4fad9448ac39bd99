import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckContext } from '../../../codegen/check/check-context.ts';
import { DiagnosticList } from '../../../codegen/check/diagnostic.ts';
import { checkFieldNumbers } from '../../../codegen/check/field-numbers.ts';
import { readProtobuf } from '../../../codegen/read/protobuf.ts';

const FILE = 'schemas/toys/v1/types.proto';

function findings(text: string): string[] {
  const list = new DiagnosticList();
  const sources = readProtobuf(new Map([[FILE, `syntax = "proto2";\npackage toys;\n${text}`]]), list.report);
  checkFieldNumbers({ sources, report: list.report } as unknown as CheckContext);
  return list.all.map(({ code, path, problem }) => `${code} ${path}: ${problem}`);
}

const rows: [name: string, body: string, found: string[]][] = [
  ['numbers in any order', 'optional string b = 2; repeated .toys.M a = 1; map<string, int32> c = 3;', []],
  ['gaps that are reserved', 'reserved 2, 4 to 6; optional string a = 1; optional string b = 3; optional string c = 7;', []],
  ['gaps that are not', 'reserved 2; optional string a = 1; optional string b = 5;', ['CS035 M: Neither used nor reserved: 3, 4.']],
  ['a long gap', 'optional string a = 1; optional string b = 9;', ['CS035 M: Neither used nor reserved: 2 to 8.']],
  [
    'a number that no field can have',
    'optional string a = 0; optional string b = 1; optional string c = 19500; optional string d = 536870912;',
    ['a', 'c', 'd'].map(
      (name, index) =>
        `CS034 M.${name}: Number ${[0, 19500, 536870912][index]} is none of a field: they are 1 to 536870911, without 19000 to 19999.`,
    ),
  ],
  ['the last number', 'optional string a = 536870911;', ['CS035 M: Neither used nor reserved: 1 to 18999, 20000 to 536870910.']],
  ['a number twice', 'optional string a = 1; optional string b = 1;', ['CS033 M.b: Number 1 is that of a already.']],
  ['a name twice', 'optional string a = 1; optional string a = 2;', ['CS033 M.a: There is another field named a.']],
  ['a number reserved before', 'reserved 1 to max; optional string a = 1;', ['CS034 M.a: Number 1 or name a is reserved in the message.']],
  ['a number reserved after', 'optional string a = 1; reserved 1;', ['CS034 M.a: Number 1 or name a is reserved in the message.']],
  ['a reserved name', `reserved 'a', "b"; optional string a = 1;`, ['CS034 M.a: Number 1 or name a is reserved in the message.']],
  ['numbers in comments', '// optional string z = 9;\n/* optional string y = 8; */ optional string a = 1;', []],
  ['no fields', '', []],
  [
    'all that is wrong at once',
    'reserved 4; optional string a = 1; optional string b = 1; repeated int32 c = 4; map<string, int32> a = 2; optional bool d = 6;',
    [
      'CS033 M.b: Number 1 is that of a already.',
      'CS034 M.c: Number 4 or name c is reserved in the message.',
      'CS033 M.a: There is another field named a.',
      'CS035 M: Neither used nor reserved: 3, 5.',
    ],
  ],
  ['syntax', 'optional string a 1;', ["CS004 : illegal token '1', '=' expected (line 4)"]],
];
const numbers = suite('field numbers');
for (const [name, body, found] of rows) numbers(name, () => assert.equal(findings(`message M {\n${body}\n}\n`), found));
numbers('of each message by itself', () =>
  assert.equal(findings('message A { optional string a = 1; }\nmessage B { optional string a = 1; message C { optional A a = 1; } }'), []),
);
numbers('in several messages', () =>
  assert.equal(findings('message A { optional string a = 2; }\nmessage B { optional string a = 1; optional string b = 1; }'), [
    'CS035 A: Neither used nor reserved: 1.',
    'CS033 B.b: Number 1 is that of a already.',
  ]),
);
numbers.run();
