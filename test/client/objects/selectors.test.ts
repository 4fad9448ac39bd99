import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  absent,
  exists,
  type FieldSelector,
  fieldSelectorText,
  type LabelSelector,
  labelSelectorOf,
  labelSelectorText,
  noneOf,
  not,
  type ObjectLabelSelector,
  oneOf,
} from '../../../runtime/client/objects/selectors.ts';

const labels = suite('label selectors');
const rows: [selector: LabelSelector, text: string][] = [
  ['app=web,tier!=db', 'app=web,tier!=db'],
  [{}, ''],
  [{ app: 'web' }, 'app=web'],
  [{ app: '' }, 'app='],
  [{ 'example.com/app': oneOf('web'), tier: oneOf('a', 'b') }, 'example.com/app=web,tier in (a,b)'],
  [{ app: noneOf('a', 'b'), x: exists(), y: absent(), z: not('1') }, 'app notin (a,b),x,!y,z!=1'],
  [{ app: noneOf('a') }, 'app notin (a)'],
];
for (const [selector, text] of rows) labels(`are ${JSON.stringify(text)}`, () => assert.is(labelSelectorText(selector), text));
const wrong: LabelSelector[] = [
  { app: 'a,b=c' },
  { app: oneOf('a', 'b)') },
  { 'a,b': 'x' },
  { '!a': exists() },
  { 'a b': 'x' },
  { app: '-a' },
];
for (const selector of wrong)
  labels(`cannot say what labels cannot be: ${JSON.stringify(selector)}`, () =>
    assert.throws(() => labelSelectorText(selector), /cannot be the (name|value) of a label/),
  );
const ofObjects: [selector: ObjectLabelSelector, text: string][] = [
  [{}, ''],
  [{ matchLabels: { app: 'web', tier: 'x' } }, 'app=web,tier=x'],
  [
    {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['1', '2'] },
        { key: 'b', operator: 'NotIn', values: ['1'] },
        { key: 'c', operator: 'Exists' },
        { key: 'd', operator: 'DoesNotExist', values: null },
      ],
    },
    'app=web,a in (1,2),b notin (1),c,!d',
  ],
];
for (const [selector, text] of ofObjects)
  labels(`of objects are ${JSON.stringify(text)}`, () => assert.is(labelSelectorOf(selector), text));
const miscounted: [selector: ObjectLabelSelector, problem: RegExp][] = [
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, /"a" needs a value/],
  [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: null }] }, /"a" needs a value/],
  [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, /"a" needs a value/],
  [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] }, /"a" may have no value/],
  [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['1'] }] }, /"a" may have no value/],
];
for (const [selector, problem] of miscounted)
  labels(`of objects have as many values as their operators: ${JSON.stringify(selector.matchExpressions)}`, () =>
    assert.throws(() => labelSelectorOf(selector), problem),
  );
labels('of no values are refused, which would mean the empty one', () =>
  assert.throws(() => labelSelectorText({ a: oneOf(...([] as unknown as [string])) }), /"a" needs a value/),
);
labels('of objects have the operators of the API', () =>
  assert.throws(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }), /"Gt" is no operator/),
);
labels.run();

const fields = suite('field selectors');
const fieldRows: [selector: FieldSelector, text: string][] = [
  ['metadata.name=x', 'metadata.name=x'],
  [{ 'metadata.name': 'x', 'status.phase': not('Running') }, 'metadata.name=x,status.phase!=Running'],
  [{ 'spec.nodeName': 'a,b=c\\d' }, 'spec.nodeName=a\\,b\\=c\\\\d'],
];
for (const [selector, text] of fieldRows) fields(`are ${JSON.stringify(text)}`, () => assert.is(fieldSelectorText(selector), text));
fields('say something of each field that they name', () =>
  assert.throws(() => fieldSelectorText({ 'spec.nodeName': undefined }), /^the selector names "spec.nodeName", but says undefined of it$/),
);
fields.run();
