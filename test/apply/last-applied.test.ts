/** What the server does with the annotation of client-side apply when kubectl applies. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepLastApplied } from '../../runtime/apply/last-applied.ts';

const test = suite('the annotation of client-side apply');

const OWN = 'example.com/last-applied';
const LARGE = 'x'.repeat(256 * 1024);

type Annotations = Record<string, string> | undefined;

const rows: readonly [name: string, before: Annotations, intent: object, after: Annotations][] = [
  ['no annotations get none', undefined, { a: 1 }, undefined],
  ['other annotations get none', { other: '1' }, { a: 1 }, { other: '1' }],
  ['an empty one stays empty', { [OWN]: '' }, { a: 1 }, { [OWN]: '' }],
  ['one that is set has what is applied, sorted', { [OWN]: 'any' }, { b: '<é>', a: 1 }, { [OWN]: '{"a":1,"b":"\\u003cé\\u003e"}\n' }],
  [
    'it does not contain itself',
    { [OWN]: '{}' },
    { metadata: { annotations: { [OWN]: 'x', z: '1' } } },
    { [OWN]: '{"metadata":{"annotations":{"z":"1"}}}\n' },
  ],
  ['what makes the annotations too large is removed', { [OWN]: '{}', other: '1' }, { data: LARGE }, { other: '1' }],
  ['no empty annotations are left', { [OWN]: '{}' }, { data: LARGE }, undefined],
];

for (const [name, before, intent, after] of rows) {
  test(name, () => {
    const metadata = { annotations: before };
    keepLastApplied(metadata, OWN, { ...intent });
    assert.equal(metadata.annotations, after);
    assert.is(Object.hasOwn(metadata, 'annotations'), before === undefined || after !== undefined);
  });
}

test.run();
