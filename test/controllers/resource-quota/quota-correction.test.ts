/** What a quota is to say of its usage, where writers take of it while objects are counted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { correctedStatus, isSettled } from '../../../runtime/controllers/resource-quota/quota-correction.ts';
import { amountsOf } from '../../../runtime/schema/scalar/amounts.ts';

const test = suite('corrections of quotas');

type List = Readonly<Record<string, string>>;
const quota = (used: List | undefined, hard: List = { pods: '5', cpu: '2' }): ApiObject => ({
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: {},
  spec: { hard },
  status: { hard, ...(used && { used }) },
});

const CORRECTED: readonly (readonly [name: string, now: List, then: List, counted: List, used: List])[] = [
  [
    'what is counted, where nobody took anything',
    { pods: '4', cpu: '1' },
    { pods: '4', cpu: '1' },
    { pods: '2', cpu: '500m' },
    { cpu: '500m', pods: '2' },
  ],
  [
    'what was taken since is added',
    { pods: '5', cpu: '1500m' },
    { pods: '4', cpu: '1' },
    { pods: '2', cpu: '500m' },
    { cpu: '1', pods: '3' },
  ],
  ['more, where more was counted', { pods: '1', cpu: '0' }, { pods: '1', cpu: '0' }, { pods: '3', cpu: '0' }, { cpu: '0', pods: '3' }],
  ['never less than nothing', { pods: '0', cpu: '0' }, { pods: '4', cpu: '0' }, { pods: '1', cpu: '0' }, { cpu: '0', pods: '1' }],
  ['what nobody counts stays', { pods: '1', cpu: '7' }, { pods: '1', cpu: '7' }, { pods: '0' }, { cpu: '7', pods: '0' }],
  ['what was not known is what is counted', { pods: '1' }, { pods: '1' }, { pods: '1', cpu: '3' }, { cpu: '3', pods: '1' }],
];
for (const [name, now, then, counted, used] of CORRECTED)
  test(name, async () => {
    const status = await correctedStatus(quota(now), quota(then), amountsOf(counted));
    assert.equal(status, { hard: { pods: '5', cpu: '2' }, used });
    assert.ok(Object.keys(counted).length < 2 || (await isSettled({ ...quota(now), status }, amountsOf(used))));
  });

test('nothing can be said where the quota limits something else now, or where somebody has said what was not known', async () => {
  assert.is(await correctedStatus(quota({ pods: '1' }, { pods: '9' }), quota({ pods: '1' }), amountsOf({ pods: '1' })), undefined);
  assert.is(await correctedStatus(quota({ pods: '1' }, { pods: '9' }), quota({}, { pods: '9' }), amountsOf({ pods: '1' })), undefined);
});

const SETTLED: readonly (readonly [name: string, status: object | undefined, counted: List, isSettled: boolean])[] = [
  ['no status', undefined, { pods: '0' }, false],
  ['another limit', { hard: { pods: '4' }, used: { pods: '0' } }, { pods: '0' }, false],
  ['nothing used said', { hard: { pods: '5' } }, { pods: '0' }, false],
  ['less than there is', { hard: { pods: '5' }, used: { pods: '0' } }, { pods: '1' }, false],
  ['more names than limits', { hard: { pods: '5' }, used: { pods: '1', cpu: '0' } }, { pods: '1' }, false],
  ['the same, in other words', { hard: { pods: '5' }, used: { pods: '1000m' } }, { pods: '1' }, true],
  ['what nobody can count', { hard: { pods: '5' } }, {}, true],
];
for (const [name, status, counted, settled] of SETTLED)
  test(`a status with ${name} is ${settled ? '' : 'not '}settled`, async () =>
    assert.is(await isSettled({ ...quota({}, { pods: '5' }), status }, amountsOf(counted)), settled));

test.run();
