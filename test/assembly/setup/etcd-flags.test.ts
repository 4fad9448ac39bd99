import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertOneEtcd } from '../../../runtime/assembly/setup/etcd-flags.ts';

const test = suite('one etcd for all');

const check = (overrides: readonly string[], servers: readonly string[] = ['http://a:1', 'http://b:1']): void =>
  assertOneEtcd({ 'etcd-servers': servers, 'etcd-servers-overrides': overrides });

test('none, and the same servers in any order, are taken', () => {
  check([]);
  check([], []);
  check(['/events#http://b:1;http://a:1', 'apps/deployments#http://a:1;http://b:1']);
});

for (const [override, name] of [
  ['/events#http://c:1', 'events'],
  ['/events#http://a:1', 'events'],
  ['apps/deployments#http://a:1;http://b:1;http://c:1', 'deployments.apps'],
] as const)
  test(`${override} is refused`, () =>
    assert.throws(() => check([override]), new RegExp(`--etcd-servers-overrides: ${name} cannot have an etcd of its own`)));

test('without --etcd-servers every other etcd is refused', () =>
  assert.throws(() => check(['/events#http://a:1'], []), /events cannot have/));

for (const wrong of ['events', '/events', 'events#http://a:1', '/events#http://a:1#x', 'a/b/events#http://a:1', ''])
  test(`${JSON.stringify(wrong)} is no override`, () =>
    assert.throws(() => check([wrong]), /--etcd-servers-overrides invalid, must be of format: group\/resource#servers/));

test.run();
