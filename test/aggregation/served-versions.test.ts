/** In which order groups and versions stand, whoever answers them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RemoteVersion } from '../../runtime/aggregation/remote-version.ts';
import { RemoteVersions } from '../../runtime/aggregation/remote-versions.ts';
import { ServedVersions } from '../../runtime/aggregation/served-versions.ts';
import type { RegistrySnapshot } from '../../runtime/registry/resources/registry-snapshot.ts';
import { groupVersion } from '../discovery/view.ts';

const test = suite('group versions, whoever answers them');

const remote = (group: string, version: string, groupPriority: number, versionPriority: number): RemoteVersion => ({
  name: `${version}.${group}`,
  group,
  version,
  groupPriority,
  versionPriority,
  service: { namespace: 'default', name: 'x', port: 443 },
  trust: { caBundle: '', insecure: false },
  available: true,
  resourceVersion: '1',
});

class Given extends RemoteVersions {
  readonly given: readonly RemoteVersion[];
  constructor(given: readonly RemoteVersion[]) {
    super([]);
    this.given = given;
  }
  override get size(): number {
    return this.given.length;
  }
  override all(): readonly RemoteVersion[] {
    return this.given;
  }
}

/** Of this server: `a` and `first` with the priority 1000. */
const local = ['a/v1', 'a/v2', 'first/v1'].map((name) => {
  const [group = '', version = ''] = name.split('/');
  return groupVersion(group, version, []);
});
const snapshot = { groupVersions: local } as unknown as RegistrySnapshot;
const served = (...remotes: RemoteVersion[]) => new ServedVersions(() => snapshot, new Given(remotes), 'first');
const names = (of: ServedVersions): string[] => of.groupVersions.map(({ group, version }) => `${group}/${version}`);

test('a group stands where its highest version puts it, its versions by their own ranks and then by their names', () => {
  const all = served(remote('b', 'v1beta1', 900, 50), remote('b', 'v1', 1100, 10), remote('c', 'v1', 1000, 1), remote('b', 'v2', 1, 10));
  assert.equal(names(all), ['first/v1', 'b/v1beta1', 'b/v2', 'b/v1', 'a/v2', 'a/v1', 'c/v1']);
});

test('one group stands before all others', () => {
  assert.is(names(served(remote('b', 'v1', 20_000, 1_000)))[0], 'first/v1');
});

test('a version of another server hides that of this one', () => {
  const moved = remote('a', 'v1', 1000, 15);
  const all = served(moved);
  assert.equal(names(all).toSorted(), ['a/v1', 'a/v2', 'first/v1']);
  const answered = all.groupVersions.map((each) => all.remoteOf(each)).filter((each) => each !== undefined);
  assert.equal(answered, [moved]);
});

test('nothing is put together where no other server answers anything', () => {
  assert.is(served().groupVersions, local);
});

test.run();
