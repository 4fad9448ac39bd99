/** What servers say of the versions in which they store resources, as 1.32 finds it out. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import { chosenApi } from '../../../runtime/assembly/setup/chosen-api.ts';
import {
  registeredResources,
  type ServerVersions,
  versionsOfResources,
} from '../../../runtime/registry/storage-versions/registered-resources.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('registered resources');

/** By the names of their objects, in their order. */
async function registered(release: string, served: Readonly<Record<string, string>> = {}): Promise<Map<string, ServerVersions>> {
  const flags = {
    'delegated-authentication': false,
    'emulated-release': release,
    'emulated-version': [],
    'feature-gates': {},
    'runtime-config': served,
  };
  const { builtIn, emulated } = await chosenApi(identity, flags);
  const resources = registeredResources(builtIn.snapshot);
  const versions = await versionsOfResources(resources, { builtIn, emulated, groupVersions });
  return new Map(
    [...versions].map(
      ([
        {
          groupResource: { group, resource },
        },
        each,
      ]) => [`${group || 'core'}.${resource}`, each],
    ),
  );
}

test('those that are stored, by the names of their groups, the core group first', async () => {
  const names = [...(await registered('')).keys()];
  assert.equal(names.slice(0, 3), ['core.configmaps', 'core.endpoints', 'core.events']);
  const groups = names.map((name) => name.slice(0, name.lastIndexOf('.'))).filter((group) => group !== 'core');
  assert.equal(groups, [...groups].sort());
  assert.ok(names.includes('apiextensions.k8s.io.customresourcedefinitions'));
  assert.ok(names.includes('apiregistration.k8s.io.apiservices'));
  assert.not(names.some((name) => name.endsWith('reviews') || name === 'core.bindings'));
});

test('versions that are served no more can be read', async () => {
  assert.equal((await registered('')).get('apps.deployments'), {
    encodingVersion: 'apps/v1',
    decodableVersions: ['apps/v1', 'apps/v1beta2', 'apps/v1beta1'],
    servedVersions: ['apps/v1'],
  });
});

test('definitions are told in the version that stands in etcd', async () => {
  assert.equal((await registered('')).get('apiextensions.k8s.io.customresourcedefinitions'), {
    encodingVersion: 'apiextensions.k8s.io/v1beta1',
    decodableVersions: ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'],
    servedVersions: ['apiextensions.k8s.io/v1'],
  });
});

test('a kind of two groups is told once, and read in both', async () => {
  const found = await registered('');
  assert.equal(found.get('core.events'), {
    encodingVersion: 'v1',
    decodableVersions: ['v1', 'events.k8s.io/v1'],
    servedVersions: ['v1'],
  });
  assert.not(found.has('events.k8s.io.events'));
});

test('what is not served is not told, but of what it is there may be more versions', async () => {
  const few = await registered('');
  assert.not(few.has('internal.apiserver.k8s.io.storageversions'));
  const all = await registered('', { 'api/all': 'true' });
  assert.equal(all.get('internal.apiserver.k8s.io.storageversions')?.servedVersions, ['internal.apiserver.k8s.io/v1alpha1']);
  const [limited, full] = [few, all].map((found) => found.get('admissionregistration.k8s.io.validatingadmissionpolicies'));
  assert.equal(limited?.servedVersions, ['admissionregistration.k8s.io/v1']);
  assert.ok((full?.servedVersions ?? []).includes('admissionregistration.k8s.io/v1beta1'));
  assert.equal(limited?.decodableVersions, full?.decodableVersions);
});

test('an earlier release stores as it did', async () => {
  const found = await registered('1.20');
  const { encodingVersion, decodableVersions = [], servedVersions } = found.get('extensions.ingresses') ?? {};
  assert.equal([encodingVersion, servedVersions], ['networking.k8s.io/v1', ['extensions/v1beta1']]);
  for (const version of ['extensions/v1beta1', 'networking.k8s.io/v1beta1', 'networking.k8s.io/v1'])
    assert.ok(decodableVersions.includes(version));
  assert.not(found.has('networking.k8s.io.ingresses'));
  assert.is(found.get('batch.cronjobs')?.encodingVersion, 'batch/v1beta1');
});

test('what is served and what is stored can be read', async () => {
  for (const release of ['', '1.20', '1.24', '1.29'])
    for (const [name, { encodingVersion, decodableVersions, servedVersions }] of await registered(release, { 'api/all': 'true' }))
      for (const version of [encodingVersion, ...servedVersions]) assert.ok(decodableVersions.includes(version), `${name} ${version}`);
});

test.run();
