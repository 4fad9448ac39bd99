import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isEmpty,
  isUsable,
  type LabelSelector,
  labelsText,
  matches,
  selectorText,
  validateLabelSelector,
} from '../../../runtime/kinds/selectors/label-selector.ts';

const test = suite('label selectors');

const expressions: LabelSelector = {
  matchExpressions: [
    { key: 'a', operator: 'Like', values: ['x'] },
    { key: 'b', operator: 'In' },
    { key: 'c', operator: 'Exists', values: ['x'] },
  ],
};

test('requirements that do not fit their operators', () => {
  assert.equal(
    validateLabelSelector(expressions, 'spec.selector').map((error) => `${error.field}: ${error.message}`),
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      "spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  );
  assert.not(isUsable(expressions));
});

test('operators of later releases may be let through', () => {
  assert.equal(validateLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Like' }] }, 's', { allowUnknownOperator: true }), []);
});

const rows: [string, LabelSelector | null | undefined, Record<string, string> | undefined, { matches: boolean; text: string }][] = [
  ['absent selects nothing', undefined, { app: 'a' }, { matches: false, text: '' }],
  ['null selects nothing', null, undefined, { matches: false, text: '' }],
  ['empty selects all', {}, undefined, { matches: true, text: '' }],
  ['equality', { matchLabels: { app: 'a' } }, { app: 'a', x: 'y' }, { matches: true, text: 'app=a' }],
  ['equality with another value', { matchLabels: { app: 'a' } }, { app: 'b' }, { matches: false, text: 'app=a' }],
  ['equality without labels', { matchLabels: { app: 'a' } }, undefined, { matches: false, text: 'app=a' }],
  ['in', { matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }] }, { app: 'a' }, { matches: true, text: 'app in (a,b)' }],
  ['not in, absent', { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] }, {}, { matches: true, text: 'x notin (a)' }],
  [
    'not in, present',
    { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
    { x: 'a' },
    { matches: false, text: 'x notin (a)' },
  ],
  ['exists', { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, { x: '' }, { matches: true, text: 'x' }],
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

test('labels as text', () => {
  assert.equal([labelsText({ zone: 'a', disk: 'ssd' }), labelsText(undefined)], ['disk=ssd,zone=a', '<none>']);
});

test.run();
