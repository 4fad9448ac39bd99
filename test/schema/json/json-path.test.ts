import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPlural, type PathStep, parsePath, parseTemplate } from '../../../runtime/schema/json/json-path.ts';

const test = suite('JSONPath');
const member = (name: string): PathStep => ({ kind: 'member', name });
const all: PathStep = { kind: 'all' };

const paths: [text: string, steps: PathStep[]][] = [
  ['.spec.replicas', [member('spec'), member('replicas')]],
  ['@', []],
  ['@.name', [member('name')]],
  [".metadata.annotations['example.com/a.b']", [member('metadata'), member('annotations'), member('example.com/a.b')]],
  ['.labels["it\'s"]', [member('labels'), member("it's")]],
  [".labels['it\\'s']", [member('labels'), member("it's")]],
  ['.labels.example\\.com/a', [member('labels'), member('example.com/a')]],
  ['.items[0]', [member('items'), { kind: 'element', index: 0 }]],
  ['.items[-1].a', [member('items'), { kind: 'element', index: -1 }, member('a')]],
  ['.items[*].a', [member('items'), all, member('a')]],
  ['.items.*', [member('items'), all]],
  [
    '.c[?(@.type=="Ready")].status',
    [member('c'), { kind: 'filter', conditions: [{ path: [member('type')], operator: '==', value: 'Ready' }] }, member('status')],
  ],
  [
    ".c[ ?( @.a != 'b' && @.n==-1.5 && @.t == true && @.z )]",
    [
      member('c'),
      {
        kind: 'filter',
        conditions: [
          { path: [member('a')], operator: '!=', value: 'b' },
          { path: [member('n')], operator: '==', value: -1.5 },
          { path: [member('t')], operator: '==', value: true },
          { path: [member('z')] },
        ],
      },
    ],
  ],
  ['.modes[?(@=="A")]', [member('modes'), { kind: 'filter', conditions: [{ path: [], operator: '==', value: 'A' }] }]],
];
for (const [text, steps] of paths) test(`reads ${text}`, () => assert.equal(parsePath(text), steps));

const malformed: [text: string, rest: string][] = [
  ['', 'it ends too early'],
  ['spec', 'cannot read "spec"'],
  ['.spec.', 'cannot read "."'],
  ['.spec..a', 'cannot read "..a"'],
  ['.items[', 'cannot read "["'],
  ['.items[a]', 'cannot read "[a]"'],
  ['.items[0:2]', 'cannot read "[0:2]"'],
  ['.items[?(.a)]', 'cannot read ".a)]"'],
  ['.items[?(@.a==b)]', 'cannot read "b)]"'],
  ['.items[?(@.a=="b")', 'cannot read ")"'],
  ["['a", `cannot read "['a"`],
];
for (const [text, rest] of malformed)
  test(`does not read ${JSON.stringify(text)}`, () => assert.throws(() => parsePath(text), `${JSON.stringify(text)} is no path: ${rest}`));

const templates: [text: string, parts: (string | PathStep[])[]][] = [
  ['', []],
  ['Local', ['Local']],
  ['{.kind}/{.name}', [[member('kind')], '/', [member('name')]]],
  ['({@})', ['(', [], ')']],
  ['a ${labelDomain} {.b}', ['a ${labelDomain} ', [member('b')]]],
];
for (const [text, parts] of templates) test(`reads the template ${JSON.stringify(text)}`, () => assert.equal(parseTemplate(text), parts));

for (const text of ['{kind}', '{.kind', '{}', '{.a b}'])
  test(`does not read the template ${text}`, () => assert.throws(() => parseTemplate(text), /is no path/));

const plural: [text: string, expected: boolean][] = [
  ['.a.b[0]', false],
  ['.a[*]', true],
  ['.a[?(@.b)].c', true],
];
for (const [text, expected] of plural)
  test(`${text} ${expected ? 'may lead' : 'never leads'} to several`, () => assert.is(isPlural(parsePath(text)), expected));

test.run();
