/** A server with the API of an earlier release writes what that release wrote, and reads what any other server has written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import { emulate } from '../../../runtime/assembly/setup/chosen-api.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { convertingStorage } from '../../../runtime/registry/emulation/stored-versions.ts';
import type { ConvertingStorage } from '../../../runtime/registry/resource-store/converting-storage.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import { unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { identity } from '../../kinds/context.ts';
import { codecOf, filled, storedBytes } from './codec-parts.ts';

const values = suite('values of an earlier release in etcd');

const release = '1.29';
const emulated = await emulate(release);
const builtIn = new BuiltInApi({
  data: emulated.groupVersions,
  hubs: emulated.hubs,
  identity,
  rules: ruleModules,
  serves: () => true,
  featureEnabled: () => true,
  release,
});
const storage = await convertingStorage(new MemoryStorage(), { builtIn, groupVersions, emulated, loadPast: emulate });
const codec = codecOf({ builtIn, emulated });
const GROUP = 'flowcontrol.apiserver.k8s.io';

/** As the registry hands it to the store beneath, and what it reads of what that has. */
const form = (prefix: string) => {
  const found = (storage as ConvertingStorage).formAt(prefix);
  assert.ok(found, `${prefix} is stored otherwise`);
  return found as NonNullable<typeof found>;
};

values('the version of the release is written, and read as it would be stored', async () => {
  const hub = await builtIn.storedKinds.kind(GROUP, 'v1', 'FlowSchema');
  const members = {
    metadata: { name: 'a', labels: { x: 'y' } },
    spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 5 },
  };
  const ofHub = storedBytes(hub, hub.completed(members), []);
  const { bytes } = form('flowschemas').toStored({ bytes: Buffer.from(ofHub), revisionOffset: -1 });
  const value = await codec.toEtcd('flowschemas/a', bytes);
  assert.is(unwrapEnvelope(value).apiVersion, `${GROUP}/v1beta3`);
  const read = await codec.fromEtcd('flowschemas/a', value);
  assert.is(read.outdated, undefined);
  const stored = filled(read);
  assert.is(form('flowschemas').isOutdated(stored.bytes), false);
  assert.equal(new Map(Object.entries(stored.labels)), new Map([['x', 'y']]));
  assert.equal(JSON.parse(filled({ bytes: form('flowschemas').fromStored(stored.bytes), revisionOffset: -1 }).json.toString()), {
    ...JSON.parse(filled({ bytes: ofHub, revisionOffset: -1 }).json.toString()),
  });
});

values('an object of the hub is written as the release has it', async () => {
  const hub = await builtIn.storedKinds.kind(GROUP, 'v1', 'FlowSchema');
  const value = await codec.toEtcd('flowschemas/a', storedBytes(hub, hub.completed({ metadata: { name: 'a' } }), []));
  assert.is(unwrapEnvelope(value).apiVersion, `${GROUP}/v1beta3`);
});

values('what a later server has written is read as rules see it', async () => {
  const later = codecOf();
  const hub = await builtIn.storedKinds.kind(GROUP, 'v1', 'FlowSchema');
  const object: ApiObject = hub.completed({ metadata: { name: 'a' }, spec: { priorityLevelConfiguration: { name: 'p' } } });
  const value = await later.toEtcd('flowschemas/a', storedBytes(hub, object, []));
  assert.is(unwrapEnvelope(value).apiVersion, `${GROUP}/v1`);
  const read = await codec.fromEtcd('flowschemas/a', value);
  assert.is(read.outdated, true);
  const { spec } = filled({ bytes: form('flowschemas').fromStored(filled(read).bytes), revisionOffset: -1 }).parse();
  assert.is(spec.priorityLevelConfiguration.name, 'p');
});

values('members that came later are neither written nor read, and fields are those of the hub', async () => {
  const hub = await builtIn.storedKinds.kind('', 'v1', 'Pod');
  const { storedFields } = builtIn.snapshot.storedAt('pods') as { storedFields: readonly string[] };
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
  const ofHub = storedBytes(hub, hub.completed({ metadata: { name: 'a', namespace: 'n' }, spec }), storedFields);
  const stored = form('pods').toStored({ bytes: ofHub, revisionOffset: -1 });
  const value = await codec.toEtcd('pods/n/a', stored.bytes);
  const read = await codec.fromEtcd('pods/n/a', value);
  assert.is(read.outdated, undefined);
  assert.equal(filled(read).fields, filled({ bytes: ofHub, revisionOffset: -1 }).fields);
  assert.is(filled(read).json.toString(), filled({ bytes: stored.bytes, revisionOffset: stored.revisionOffset }).json.toString());
});

values.run();
