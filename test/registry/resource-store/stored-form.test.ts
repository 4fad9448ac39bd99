/** How objects of a server with the API of an earlier release are read: those of requests, and those that it has stored. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import { emulate } from '../../../runtime/assembly/setup/chosen-api.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { convertingStorage } from '../../../runtime/registry/emulation/stored-versions.ts';
import type { ConvertingStorage } from '../../../runtime/registry/resource-store/converting-storage.ts';
import type { StoredForm } from '../../../runtime/registry/resource-store/stored-form.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import { StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { identity } from '../../kinds/context.ts';
import { storedBytes } from '../etcd/codec-parts.ts';

const test = suite('the form in which an earlier release stores');

const release = '1.20';
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
const form = (storage as ConvertingStorage).formAt('services/specs') as StoredForm;
const hub = await builtIn.storedKinds.kind('', 'v1', 'Service');

const service = (spec: object): ApiObject => hub.decode({ metadata: { name: 'a', namespace: 'n' }, spec }).object;
const specOf = (object: ApiObject): Record<string, unknown> => object.spec as Record<string, unknown>;

test('what is about to be written loses what the release does not have, and is completed', () => {
  const spec = specOf(form.asRead(service({ clusterIP: '10.0.0.1', loadBalancerClass: 'a/b' })));
  assert.equal(spec.clusterIPs, ['10.0.0.1']);
  assert.equal(spec.ipFamilies, ['IPv4']);
  assert.is(spec.loadBalancerClass, undefined);
  assert.is(spec.internalTrafficPolicy, 'Cluster');
});

test('what was stored without it is completed', () => {
  const { bytes } = form.toStored({ bytes: storedBytes(hub, service({ clusterIP: '10.0.0.1' }), []), revisionOffset: -1 });
  const spec = specOf(new StoredObject(form.fromStored(bytes)).parse());
  assert.equal(spec.clusterIPs, ['10.0.0.1']);
  assert.equal(spec.ipFamilies, ['IPv4']);
});

test.run();
