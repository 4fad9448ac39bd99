/** What clients are told of a version that its definition calls deprecated. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deprecatable, deprecationOf } from '../../runtime/contract/version-deprecation.ts';

const spec = (...versions: object[]) => ({
  group: 'example.com',
  names: { kind: 'Lamp' },
  versions: versions.map((each) => deprecatable({ served: true, ...each })),
});
const OLD = { name: 'v1beta1', deprecated: true };
const cases: [what: string, old: object, others: object[], told: string | undefined][] = [
  ['is not deprecated', { name: 'v1beta1' }, [{ name: 'v1' }], undefined],
  ['has words of its own', { ...OLD, deprecationWarning: 'go away' }, [{ name: 'v1' }], 'go away'],
  ['has null as its words', { ...OLD, deprecationWarning: null }, [], 'example.com/v1beta1 Lamp is deprecated'],
  ['has a newer one', OLD, [{ name: 'v1' }], 'example.com/v1beta1 Lamp is deprecated; use example.com/v1 Lamp'],
  ['has several newer ones', OLD, [{ name: 'v1' }, { name: 'v2' }], 'example.com/v1beta1 Lamp is deprecated; use example.com/v2 Lamp'],
  ['has an older one alone', OLD, [{ name: 'v1alpha1' }], 'example.com/v1beta1 Lamp is deprecated'],
  ['has a newer one that is not served', OLD, [{ name: 'v1', served: false }], 'example.com/v1beta1 Lamp is deprecated'],
  ['has a newer one that is deprecated', OLD, [{ name: 'v1', deprecated: true }], 'example.com/v1beta1 Lamp is deprecated'],
];
const test = suite('the warning of a version');
for (const [what, old, others, told] of cases)
  test(`that ${what}`, () => {
    const all = spec(old, ...others);
    assert.is(deprecationOf(all.versions[0] as (typeof all.versions)[0], all), told);
  });
test.run();
