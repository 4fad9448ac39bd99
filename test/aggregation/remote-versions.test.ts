import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRemoteVersion } from '../../runtime/aggregation/remote-version.ts';
import { type RemoteChanges, RemoteVersions } from '../../runtime/aggregation/remote-versions.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { encodeStoredObject, StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { fillRevision } from '../../runtime/storage/storage.ts';

const PREFIX = 'apiregistration.k8s.io/apiservices';
const service = { namespace: 'default', name: 'lamps' };

function apiService(name: string, spec: object = {}, status?: object): ApiObject {
  const [version = '', ...group] = name.split('.');
  const named = { group: group.join('.'), version, groupPriorityMinimum: 1000, versionPriority: 15 };
  return {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name },
    spec: { ...named, ...spec },
    ...(status && { status }),
  };
}

/** As the store gives it. */
function stored(object: ApiObject, revision: number): StoredObject {
  const { bytes, revisionOffset } = encodeStoredObject(object, 0, []);
  const value = Buffer.from(bytes);
  fillRevision(value, revisionOffset, revision);
  return new StoredObject(value);
}

function told(versions: RemoteVersions, changes: Readonly<Record<string, ApiObject | undefined>>, revision: number): void {
  for (const [name, object] of Object.entries(changes)) versions.change(`${PREFIX}/${name}`, object && stored(object, revision));
  versions.settle();
}

const test = suite('group versions of other servers');

test('are found by paths, and hide those of this server alone', () => {
  const versions = new RemoteVersions([PREFIX]);
  assert.is(versions.forPath('/apis/lamps.example/v1/lamps'), undefined);
  told(versions, { 'v1.lamps.example': apiService('v1.lamps.example', { service }), 'v1.apps': apiService('v1.apps') }, 1);
  assert.is(versions.size, 1);
  const rows: readonly [path: string, name: string | undefined][] = [
    ['/apis/lamps.example/v1', 'v1.lamps.example'],
    ['/apis/lamps.example/v1/', 'v1.lamps.example'],
    ['/apis/lamps.example/v1/namespaces/x/lamps/y', 'v1.lamps.example'],
    ['/apis/lamps.example/v10/lamps', undefined],
    ['/apis/lamps.example', undefined],
    ['/apis/lamps.example/', undefined],
    ['/apis', undefined],
    ['/apis/apps/v1/deployments', undefined],
    ['/api/v1/pods', undefined],
    ['/', undefined],
  ];
  for (const [path, name] of rows) assert.is(versions.forPath(path)?.name, name, path);
});

test('of the core group take all that begins with its path', () => {
  const versions = new RemoteVersions([PREFIX]);
  told(versions, { 'v1.': apiService('v1.', { service }) }, 1);
  for (const path of ['/api', '/api/v1/pods']) assert.is(versions.forPath(path)?.name, 'v1.');
  assert.is(versions.forPath('/apis/apps/v1'), undefined);
  assert.equal([versions.get('', 'v1')?.name, versions.get('', 'v2')], ['v1.', undefined]);
});

test('tell what has changed, and nothing where nothing has', () => {
  const versions = new RemoteVersions([PREFIX]);
  const heard: string[] = [];
  versions.onChange(({ gone, come }: RemoteChanges) => heard.push(`-${gone.map(({ name }) => name)} +${come.map(({ name }) => name)}`));
  const lamps = apiService('v1.lamps', { service });
  told(versions, { 'v1.lamps': lamps }, 1);
  told(versions, { 'v1.lamps': lamps }, 1);
  told(versions, { 'v1.lamps': apiService('v1.lamps', { service, versionPriority: 9 }) }, 2);
  told(versions, { 'v1.lamps': apiService('v1.lamps') }, 3);
  told(versions, { 'v1.lamps': undefined, 'v1.apps': apiService('v1.apps') }, 4);
  assert.equal(heard, ['- +v1.lamps', '-v1.lamps +v1.lamps', '-v1.lamps +']);
});

test('that do not come again after a reset are gone', () => {
  const versions = new RemoteVersions([PREFIX]);
  told(versions, { 'v1.a': apiService('v1.a', { service }), 'v1.b': apiService('v1.b', { service }) }, 1);
  versions.reset();
  told(versions, { 'v1.b': apiService('v1.b', { service }) }, 1);
  assert.equal(
    versions.all().map(({ name }) => name),
    ['v1.b'],
  );
});

test('have the port 443 and no authorities where nothing is said', () => {
  const remote = readRemoteVersion(apiService('v1.lamps', { service }));
  assert.equal([remote?.service.port, remote?.trust, remote?.available], [443, { caBundle: '', insecure: false }, false]);
  const status = { conditions: [{ type: 'Available', status: 'True' }] };
  assert.is(readRemoteVersion(apiService('v1.lamps', { service }, status))?.available, true);
});

test.run();
