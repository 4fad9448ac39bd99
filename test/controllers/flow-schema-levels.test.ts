import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ManagedFieldsEntry } from '../../generated/meta/v1/types.ts';
import type { AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { danglingCondition, flowSchemaLevels } from '../../runtime/controllers/flow-schema-levels.ts';
import { eventually, TestCluster } from './server.ts';

const test = suite('levels of flow schemas');

const GROUP = 'flowcontrol.apiserver.k8s.io/v1';
const SCHEMA = { metadata: { name: 'mine' }, spec: { priorityLevelConfiguration: { name: 'late' }, matchingPrecedence: 1000 } };
const LEVEL = {
  metadata: { name: 'late' },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
};

let cluster: TestCluster;
let controller: NonNullable<ReturnType<typeof flowSchemaLevels>>;
test.before.each(async () => {
  cluster = await TestCluster.create();
  controller = flowSchemaLevels(cluster.server) as typeof controller;
});
test.after.each(async () => {
  await controller.stop();
  await cluster.remove();
});

const schema = (): ApiObject | undefined => cluster.objects('flowschemas/')[0];
const condition = (): { type: string; status: string; lastTransitionTime: string } => schema()?.status?.conditions?.[0];

test('a schema says whether its level is there', async () => {
  await cluster.create(GROUP, 'flowschemas', SCHEMA);
  await controller.list();
  await eventually(
    () => condition()?.status === 'True',
    () => JSON.stringify(schema()),
  );
  assert.is(condition().type, 'Dangling');
  await cluster.create(GROUP, 'prioritylevelconfigurations', LEVEL);
  await controller.list();
  await eventually(
    () => condition()?.status === 'False',
    () => JSON.stringify(schema()),
  );
});

test('the condition is applied, so that those of others stay theirs', async () => {
  await cluster.create(GROUP, 'flowschemas', SCHEMA);
  await controller.list();
  await eventually(
    () => condition() !== undefined,
    () => JSON.stringify(schema()),
  );
  const entries = schema()?.metadata.managedFields as ManagedFieldsEntry[] | undefined;
  const entry = entries?.find(({ subresource }) => subresource === 'status');
  assert.equal([entry?.manager, entry?.operation], ['api-priority-and-fairness-config-consumer-v1', 'Apply']);
  assert.equal(Object.keys(entry?.fieldsV1 ?? {}), ['f:status']);
});

test('a condition that is right is not written again', async () => {
  await cluster.create(GROUP, 'flowschemas', SCHEMA);
  await controller.list();
  await controller.settled();
  const { resourceVersion } = schema()?.metadata ?? {};
  await controller.list();
  await controller.settled();
  assert.is(schema()?.metadata.resourceVersion, resourceVersion);
});

test('it is written as the server itself', async () => {
  const users = new Set<string>();
  const admitted = async ({ user }: AdmissionAttributes): Promise<undefined> => void users.add(user.name);
  const other = await TestCluster.create({ admission: { mutate: admitted, validate: admitted } });
  await other.create(GROUP, 'flowschemas', SCHEMA);
  const levels = flowSchemaLevels(other.server) as typeof controller;
  await levels.list();
  await eventually(
    () => users.size > 0,
    () => 'nothing was written',
  );
  await levels.stop();
  await other.remove();
  assert.equal([...users], ['system:apiserver']);
});

test('levels are told of by name', () => {
  const { status, message } = danglingCondition(SCHEMA as unknown as ApiObject, new Set(['late']));
  assert.equal([status, message], ['False', 'This FlowSchema references the PriorityLevelConfiguration object named "late" and it exists']);
});

test.run();
