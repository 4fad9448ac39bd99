import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PodSpec } from '../../../../generated/core/v1/types.ts';
import { podAmounts } from '../../../../runtime/kinds/core/pods/pod-amounts.ts';
import { amountsOf, amountText } from '../../../../runtime/schema/scalar/amounts.ts';

const test = suite('amounts of resources');
const container = (cpu: string | undefined, more: object = {}) => ({
  name: 'c',
  resources: { requests: cpu === undefined ? {} : { cpu } },
  ...more,
});
const shown = (spec: object) =>
  Object.fromEntries([...podAmounts(spec as PodSpec, 'requests')].map(([name, quantity]) => [name, amountText(quantity)]));

const ROWS: readonly (readonly [name: string, spec: object, cpu: string | undefined])[] = [
  ['no container', {}, undefined],
  ['containers together', { containers: [container('100m'), container('1'), container(undefined)] }, '1100m'],
  ['less than one before them', { containers: [container('100m')], initContainers: [container('2'), container('1')] }, '2'],
  ['more than one before them', { containers: [container('3')], initContainers: [container('2')] }, '3'],
  ['with one that goes on', { containers: [container('1')], initContainers: [container('1', { restartPolicy: 'Always' })] }, '2'],
  [
    'one before them beside one that goes on',
    { containers: [container('1')], initContainers: [container('1', { restartPolicy: 'Always' }), container('5')] },
    '6',
  ],
  [
    'one before them, before one that goes on',
    { containers: [container('1')], initContainers: [container('5'), container('1', { restartPolicy: 'Always' })] },
    '5',
  ],
];
for (const [name, spec, cpu] of ROWS) test(name, () => assert.equal(shown(spec), cpu === undefined ? {} : { cpu }));

test('nothing is an empty list', () => assert.is(amountsOf(undefined).size, 0));

test.run();
