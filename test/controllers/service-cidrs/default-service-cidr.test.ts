/** The object of the ranges that flags name. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type DefaultServiceCidr, defaultServiceCidr } from '../../../runtime/controllers/service-cidrs/default-service-cidr.ts';
import { eventually } from '../../harness/eventually.ts';
import { type AddressCluster, addressCluster, VERSION } from './addresses.ts';

const test = suite('the default ServiceCIDR');
let made: AddressCluster;
let keeper: DefaultServiceCidr;
test.before.each(async () => {
  made = await addressCluster(['10.0.0.0/24', 'fd00::/112']);
  keeper = defaultServiceCidr(made.server) as DefaultServiceCidr;
});
test.after.each(async () => {
  await keeper.stop();
  await made.cluster.remove();
});

const stored = (): ApiObject => made.cluster.objects('servicecidrs/')[0] as ApiObject;
const conditionsOf = (): unknown => stored().status?.conditions?.map(({ type, status }: Record<string, unknown>) => [type, status]);

test('it is made, said to be ready, and made again', async () => {
  await keeper.look();
  assert.equal(
    [stored().metadata.name, stored().spec.cidrs, conditionsOf()],
    ['kubernetes', ['10.0.0.0/24', 'fd00::/112'], [['Ready', 'True']]],
  );
  const { resourceVersion } = stored().metadata;
  await keeper.look();
  assert.is(stored().metadata.resourceVersion, resourceVersion, 'nothing is written for nothing');
  await made.cluster.delete(VERSION, 'servicecidrs', { name: 'kubernetes' });
  await keeper.look();
  assert.equal(conditionsOf(), [['Ready', 'True']]);
});

test('one with other ranges stays as it is, and that is told', async () => {
  await made.addRange('kubernetes', '10.7.0.0/24');
  await keeper.look();
  assert.equal([stored().spec.cidrs, conditionsOf()], [['10.7.0.0/24'], undefined]);
  await eventually('an event', () =>
    made.cluster.objects('events/').some(({ reason }) => reason === 'KubernetesDefaultServiceCIDRInconsistent'),
  );
});

test('what another controller says of it stays', async () => {
  await keeper.look();
  const conditions = [{ type: 'Ready', status: 'False', reason: 'Elsewhere', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' }];
  const say = (object: ApiObject): void => {
    object.status = { conditions };
  };
  await made.cluster.edit(VERSION, 'servicecidrs', { name: 'kubernetes' }, say, 'status');
  await keeper.look();
  assert.equal(conditionsOf(), [['Ready', 'False']]);
  await eventually('an event', () => made.cluster.objects('events/').some(({ reason }) => reason === 'Elsewhere'));
});

test.run();
