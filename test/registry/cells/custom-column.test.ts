/** Columns of custom resources find what client-go's JSONPath finds, and show it as 1.32 does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCustomColumn } from '../../../runtime/registry/cells/custom-column.ts';
import { parseColumnPath } from '../../../runtime/schema/json/json-path-template.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';

const test = suite('columns of custom resources');

const BIG = rawNumber('9007199254740993');
const OBJECT = {
  metadata: { name: 'a', annotations: { 'a.b/c': 'dotted', 'it is': 'spaced' } },
  spec: {
    n: 5,
    half: 2.75,
    many: 1234567.5,
    big: BIG,
    yes: true,
    text: 'text',
    empty: '',
    nothing: null,
    since: '2020-01-01T00:00:00Z',
    day: '2020-01-01',
    list: ['x', 'y', 'z'],
    none: [],
    counts: [1, 2, 3],
    map: { b: 2, a: '<1>' },
    conditions: [
      { type: 'Ready', status: 'True', size: 1, inner: { deep: 'one' } },
      { type: 'Old', status: 'False', size: 2, same: 'Old' },
      { status: 'Unknown', size: 3.5 },
    ],
  },
};
const NOW = Date.parse('2020-01-01T00:02:05Z');

const rows: readonly [path: string, type: 'string' | 'integer' | 'number' | 'boolean' | 'date', shown: unknown][] = [
  ['.metadata.name', 'string', 'a'],
  ['.spec.gone.further', 'string', null],
  ['.spec.text.further', 'string', null],
  ['.spec.nothing', 'string', '<no value>'],
  ['.spec.nothing', 'integer', null],
  ['.spec.empty', 'string', ''],
  ['.spec.n', 'string', '5'],
  ['.spec.many', 'string', '1.2345675e+06'],
  ['.spec.big', 'string', '9007199254740993'],
  ['.spec.big', 'integer', BIG],
  ['.spec.big', 'number', 9007199254740992],
  ['.spec.half', 'integer', 2],
  ['.spec.half', 'number', 2.75],
  ['.spec.text', 'integer', null],
  ['.spec.text', 'boolean', null],
  ['.spec.yes', 'boolean', true],
  ['.spec.yes', 'string', 'true'],
  ['.spec.map', 'string', '{"a":"\\u003c1\\u003e","b":2}'],
  ['.spec.list', 'string', '["x","y","z"]'],
  ['.spec.since', 'date', '2m5s'],
  ['.spec.day', 'date', '<invalid>'],
  ['.spec.empty', 'date', '<unknown>'],
  ['.spec.n', 'date', null],
  ['.spec.list[0]', 'string', 'x'],
  ['.spec.list[-1]', 'string', 'z'],
  ['.spec.list[-1:]', 'string', 'z'],
  ['.spec.list[:1]', 'string', 'x'],
  ['.spec.list[1:]', 'string', 'y'],
  ['.spec.list[1:3:2]', 'string', 'y'],
  ['.spec.list[]', 'string', 'x'],
  ['.spec.list[-2:-1]', 'string', 'y'],
  ['.spec.list[0:4]', 'string', null],
  ['.spec.list[1:1]', 'string', null],
  ['.spec.list[3]', 'string', null],
  ['.spec.list[-4]', 'string', null],
  ['.spec.list[2:1]', 'string', null],
  ['.spec.list[0:3:0]', 'string', null],
  ['.spec.none[-1:]', 'string', null],
  ['.spec.none[*]', 'string', null],
  ['.spec.map[0]', 'string', null],
  ['.spec.list[*]', 'string', 'x'],
  ['.spec.list[2,0]', 'string', 'z'],
  ['.spec.list[0,7]', 'string', null],
  [".spec['text','n']", 'string', 'text'],
  [".spec['gone','n']", 'string', '5'],
  ['.spec.conditions[*].size', 'integer', 1],
  ['.spec.conditions[-1:].status', 'string', 'Unknown'],
  ['.spec.map.*', 'integer', 2],
  ["['spec'].n", 'integer', 5],
  ["['spec.n']", 'integer', 5],
  ['.metadata.annotations.a\\.b/c', 'string', 'dotted'],
  [".metadata.annotations['a\\.b/c']", 'string', 'dotted'],
  ['$.spec.n', 'integer', 5],
  ['@.spec.n', 'integer', 5],
  [' .spec.n ', 'integer', 5],
  ['..type', 'string', 'Ready'],
  ['..deep', 'string', 'one'],
  ['..gone', 'string', null],
  ['.spec.conditions[?(@.type=="Old")].status', 'string', 'False'],
  [".spec.conditions[?(@.type == 'Old')].status", 'string', 'False'],
  ['.spec.conditions[?(@.type!="Ready")].status', 'string', 'False'],
  ['.spec.conditions[?(@.type==@.same)].status', 'string', 'False'],
  ['.spec.conditions[?(@.same)].status', 'string', 'False'],
  ['.spec.conditions[?(@.inner.deep)].status', 'string', 'True'],
  // those that lack what is compared are left out
  ['.spec.conditions[?(@.same!="x")].status', 'string', 'False'],
  ['.spec.conditions[?("x"!=@.same)].status', 'string', 'False'],
  ['.spec.conditions[?(@.inner[*]!=@.gone)].status', 'string', null],
  ['.spec.list[?(true==true)]', 'string', 'x'],
  ['.spec.list[?(true!=true)]', 'string', null],
  ['.spec.list[?(true>false)]', 'string', null],
  ['.spec.list[?(@<="x")]', 'string', 'x'],
  ['.spec.list[?(@<"x")]', 'string', null],
  ['.spec.list[?(@>="y")]', 'string', 'y'],
  ['.spec.counts[?(@>1)]', 'integer', 2],
  ['.spec.counts[?(@<=1)]', 'integer', 1],
  ['.spec.counts[?(@<1)]', 'integer', null],
  ['.spec.counts[?(@>=3)]', 'integer', 3],
  ['.spec.counts[?(@!=1)]', 'integer', 2],
  ['.spec.conditions[?(@.type>"Old")].status', 'string', 'True'],
  ['.spec.list[?(@=="y")]', 'string', 'y'],
  ['.spec.list[?(@>"x")]', 'string', 'y'],
  ['.spec.conditions[0:2].size', 'integer', 1],
  // the last size is a double, which is compared with no integer
  ['.spec.conditions[?(@.size>=2)].type', 'string', null],
  ['.spec.conditions[?(@.type==true)].status', 'string', null],
  ['.spec.conditions[?(@.type=="Ready"]', 'string', undefined],
  ['.spec.map[?(@.a)]', 'string', null],
  ['.spec.conditions[?(@.inner==1)].status', 'string', null],
  ['"fixed"', 'string', 'fixed'],
  ["'it\\'s'", 'string', "it's"],
  ["'\\u00e9'", 'string', 'é'],
  ['7', 'integer', 7],
  ['1.5', 'number', 1.5],
  ['true', 'boolean', true],
  ['spec.n', 'integer', null],
  ['range .spec.list[*]', 'string', null],
  ['end', 'string', null],
  ['.spec.n}{.spec.text', 'integer', 5],
  ['.spec.n}{.spec.list[9]', 'integer', null],
  ['.spec.list[', 'string', undefined],
  ['.spec["n"]', 'integer', undefined],
  ['.spec.list[a]', 'string', undefined],
  ['.spec.list[-]', 'string', undefined],
  ['.spec.list[?(@.a)', 'string', undefined],
  ['.spec.conditions[?(@.type=="Ready" && @.size==1)].status', 'string', undefined],
  [
    '.spec..',
    'string',
    '{"big":9007199254740993,"conditions":[{"inner":{"deep":"one"},"size":1,"status":"True","type":"Ready"},{"same":"Old","size":2,"status":"False","type":"Old"},{"size":3.5,"status":"Unknown"}],"counts":[1,2,3],"day":"2020-01-01","empty":"","half":2.75,"list":["x","y","z"],"many":1234567.5,"map":{"a":"\\u003c1\\u003e","b":2},"n":5,"none":[],"nothing":null,"since":"2020-01-01T00:00:00Z","text":"text","yes":true}',
  ],
  ['....n', 'integer', undefined],
  ['..*', 'string', undefined],
  ['.spec.n%', 'integer', null],
  ['%', 'string', undefined],
  ["'unterminated", 'string', undefined],
];
for (const [path, type, shown] of rows)
  test(`${path} as ${type}`, () => {
    if (shown === undefined) return assert.is(parseColumnPath(path), undefined);
    assert.ok(parseColumnPath(path), 'it can be read');
    assert.equal(compileCustomColumn(path, type)(OBJECT, NOW), shown);
  });

test('a path that leads to each value many times ends early', () => {
  const wide = { a: Array.from({ length: 400 }, () => ({ b: [1, 2, 3] })) };
  const deep = Array.from({ length: 200 }).reduce<object>((inner) => ({ a: [inner, 'text'] }), wide);
  assert.is(compileCustomColumn('..[*]..[*]..[*]..b', 'string')(deep, NOW), null);
  assert.is(compileCustomColumn('..a..a..a..a..a..a', 'string')(deep, NOW), null);
});

for (const [huge, text] of [
  [1e21, '-9223372036854775808'],
  [-1e21, '-9223372036854775808'],
  [1e18, '1000000000000000000'],
  [-2.5, '-2'],
] as const)
  test(`an integer of 64 bits of ${huge}`, () => {
    assert.is(JSON.stringify(compileCustomColumn('.huge', 'integer')({ huge }, NOW)), text);
  });

test.run();
