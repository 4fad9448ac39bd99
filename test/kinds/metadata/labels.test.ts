import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANNOTATIONS_LIMIT, validateAnnotations, validateLabelSelector, validateLabels } from '../../../runtime/kinds/metadata/labels.ts';
import { lines } from '../context.ts';

const test = suite('labels');

test('labels: errors stand at the path of the map', () => {
  assert.equal(validateLabels(undefined, 'metadata.labels'), []);
  assert.equal(validateLabels({ 'a/b': 'c', d: '' }, 'metadata.labels'), []);
  const errors = validateLabels({ 'a b': '-' }, 'metadata.labels');
  assert.equal(
    errors.map(({ field, reason }) => [field, reason]),
    [
      ['metadata.labels', 'FieldValueInvalid'],
      ['metadata.labels', 'FieldValueInvalid'],
    ],
  );
  assert.ok(errors[0]?.message.startsWith('Invalid value: "a b": name part must consist of'));
  assert.ok(errors[1]?.message.startsWith('Invalid value: "-": a valid label must be'));
});

test('annotations: keys in whatever case, values of any text, all together within the limit', () => {
  assert.equal(validateAnnotations({ 'Example.COM/Key': 'any\ntext' }, 'a'), []);
  assert.equal(validateAnnotations({ k: 'v'.repeat(ANNOTATIONS_LIMIT - 1) }, 'a'), []);
  assert.equal(lines([...validateAnnotations({ k: 'v'.repeat(ANNOTATIONS_LIMIT) }, 'a')]), [
    'a: Too long: may not be more than 262144 bytes',
  ]);
  assert.is(validateAnnotations({ 'a/b/c': '' }, 'a').length, 1);
});

const selectors: [string, object | undefined, string[]][] = [
  ['none', undefined, []],
  ['an empty one', {}, []],
  [
    'good requirements',
    {
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'Exists' },
      ],
    },
    [],
  ],
  [
    'In without values',
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
    ["s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    'Exists with values',
    { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    ["s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
  ],
  [
    'an operator of another kind',
    { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] },
    ['s.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
  ],
];
for (const [name, selector, expected] of selectors)
  test(`selector: ${name}`, () => assert.equal(lines([...validateLabelSelector(selector, 's')]), expected));

test.run();
