import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isEmpty, isUsable, type LabelSelector, matches, matchesLabels, selectorText } from '../../runtime/selectors/label-selector.ts';
import { parseLabelSelector } from '../../runtime/selectors/label-selector-text.ts';

const test = suite('label selectors');

const unusable: [string, LabelSelector][] = [
  ['an unknown operator', { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] }],
  ['no values', { matchExpressions: [{ key: 'b', operator: 'In' }] }],
  ['a bad key', { matchLabels: { 'a b': 'c' } }],
  ['a bad value of a pair', { matchLabels: { a: 'b c' } }],
  ['a bad key of a requirement', { matchExpressions: [{ key: 'a b', operator: 'Exists' }] }],
  ['a bad value beside a good one', { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c d'] }] }],
  ['values where a label shall be absent', { matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] }],
];
for (const [name, selector] of unusable) test(`not usable: ${name}`, () => assert.not(isUsable(selector)));

test('every operator is usable', () => {
  const values = ['b'];
  const requirements = ['In', 'NotIn'].map((operator) => ({ key: 'a', operator, values }));
  assert.ok(isUsable({ matchExpressions: [...requirements, { key: 'a', operator: 'Exists' }, { key: 'a', operator: 'DoesNotExist' }] }));
});

test('an absent selector is usable', () => assert.ok(isUsable(undefined) && isUsable(null) && isUsable({})));

const rows: [string, LabelSelector | null | undefined, Record<string, string> | undefined, { matches: boolean; text: string }][] = [
  ['absent selects nothing', undefined, { app: 'a' }, { matches: false, text: '' }],
  ['null selects nothing', null, undefined, { matches: false, text: '' }],
  ['empty selects all', {}, undefined, { matches: true, text: '' }],
  ['equality', { matchLabels: { app: 'a' } }, { app: 'a', x: 'y' }, { matches: true, text: 'app=a' }],
  ['equality with another value', { matchLabels: { app: 'a' } }, { app: 'b' }, { matches: false, text: 'app=a' }],
  ['equality without labels', { matchLabels: { app: 'a' } }, undefined, { matches: false, text: 'app=a' }],
  ['in', { matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }] }, { app: 'a' }, { matches: true, text: 'app in (a,b)' }],
  [
    'a name that all objects have, absent',
    { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
    {},
    { matches: false, text: 'constructor' },
  ],
  ['not in, absent', { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] }, {}, { matches: true, text: 'x notin (a)' }],
  [
    'not in, present',
    { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
    { x: 'a' },
    { matches: false, text: 'x notin (a)' },
  ],
  ['exists', { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, { x: '' }, { matches: true, text: 'x' }],
  ['absent as it shall be', { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }, { y: '' }, { matches: true, text: '!x' }],
  [
    'requirements of one key in their order',
    {
      matchExpressions: [
        { key: 'x', operator: 'NotIn', values: ['b'] },
        { key: 'a', operator: 'Exists' },
        { key: 'x', operator: 'Exists' },
      ],
    },
    { a: '', x: 'a' },
    { matches: true, text: 'a,x notin (b),x' },
  ],
  [
    'sorted by key',
    { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'aa', operator: 'DoesNotExist' }] },
    { app: 'a' },
    { matches: true, text: '!aa,app=a' },
  ],
];

for (const [name, selector, labels, expected] of rows)
  test(name, () => assert.equal({ matches: matches(selector, labels), text: selectorText(selector) }, expected));

test('empty is not absent', () => {
  assert.equal(
    [isEmpty({}), isEmpty(undefined), isEmpty({ matchLabels: {} }), isEmpty({ matchLabels: { a: 'b' } })],
    [true, false, true, false],
  );
});

test('a plain selector matches when all of its pairs stand among the labels', () => {
  assert.ok(matchesLabels({}, undefined));
  assert.ok(matchesLabels({ a: 'b' }, { a: 'b', c: 'd' }));
  assert.not(matchesLabels({ a: 'b' }, { a: 'c' }));
  assert.not(matchesLabels({ a: 'b' }, undefined));
});

test('requirements of a text are sorted by their keys, and those of one key stay in their order', () => {
  const { requirements } = parseLabelSelector('b=x,a_b,a notin (z,y),a,A');
  assert.equal(
    requirements.map(({ key, operator, values }) => [key, operator, ...values]),
    [
      ['A', 'exists'],
      ['a', 'notin', 'y', 'z'],
      ['a', 'exists'],
      ['a_b', 'exists'],
      ['b', '=', 'x'],
    ],
  );
});

test.run();
