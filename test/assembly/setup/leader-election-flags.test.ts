/** What flags say of the election among servers of one etcd. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../../generated/flags.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { coordinationElection, leaderElection } from '../../../runtime/assembly/setup/leader-election-flags.ts';
import { createIdentity, type Dialect } from '../../../runtime/contract/identity.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';
import { flagsHelp } from '../../../runtime/server/flags/flags-help.ts';

const test = suite('flags of leader election');

const ETCD = '--etcd-servers=http://127.0.0.1:2379';
const electionOf = (flags: readonly string[], dialect: Dialect = 'kubernetes') =>
  leaderElection(parseFlags(flags, flagsData, createIdentity(identityData, dialect)).values);

const DEFAULTS = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

for (const [dialect, name, namespace] of [
  ['kubernetes', 'kube-apiserver-controllers', 'kube-system'],
  ['cluster', 'cluster-apiserver-controllers', 'cluster-system'],
] as const)
  test(`the times of kube-controller-manager, and a lease that is not its own: ${dialect}`, () =>
    assert.equal(electionOf([ETCD], dialect), { ...DEFAULTS, name, namespace }));

test('what is given is taken', () => {
  const flags = ['lease-duration=9s', 'renew-deadline=6s', 'retry-period=500ms', 'resource-name=mine', 'resource-namespace=here'];
  assert.equal(electionOf([ETCD, ...flags.map((flag) => `--leader-elect-${flag}`)]), {
    leaseDuration: 9_000,
    renewDeadline: 6_000,
    retryPeriod: 500,
    name: 'mine',
    namespace: 'here',
  });
});

for (const [what, flags] of [
  ['a store in a folder', []],
  ['a store in a folder, whatever the times are', ['--leader-elect', '--leader-elect-lease-duration=1s']],
  ['--leader-elect=false', [ETCD, '--leader-elect=false']],
  ['--leader-elect=false, whatever the times are', [ETCD, '--leader-elect=false', '--leader-elect-renew-deadline=0s']],
] as const)
  test(`nobody is elected: ${what}`, () => assert.is(electionOf(flags), undefined));

for (const [flag, problem] of [
  ['lease-duration=0s', '--leader-elect-lease-duration: leaseDuration must be greater than zero'],
  ['lease-duration=10s', '--leader-elect-lease-duration: leaseDuration must be greater than renewDeadline'],
  ['lease-duration=15500ms', '--leader-elect-lease-duration: leaseDuration must be whole seconds'],
  ['renew-deadline=0s', '--leader-elect-renew-deadline: renewDeadline must be greater than zero'],
  ['renew-deadline=15s', '--leader-elect-lease-duration: leaseDuration must be greater than renewDeadline'],
  [
    'renew-deadline=2400ms',
    '--leader-elect-renew-deadline: renewDeadline must be greater than retryPeriod*JitterFactor, which is retryPeriod*1.2',
  ],
  ['retry-period=0s', '--leader-elect-retry-period: retryPeriod must be greater than zero'],
  ['resource-name=', '--leader-elect-resource-name: ""'],
  ['resource-name=A/b', '--leader-elect-resource-name: "A/b"'],
  ['resource-namespace=', '--leader-elect-resource-namespace: ""'],
  ['resource-namespace=a.b', '--leader-elect-resource-namespace: "a.b"'],
] as const)
  test(`refused: --leader-elect-${flag}`, () => {
    try {
      electionOf([ETCD, `--leader-elect-${flag}`]);
    } catch (error) {
      return assert.ok((error as Error).message.startsWith(problem), (error as Error).message);
    }
    assert.unreachable();
  });

const coordinationOf = (flags: readonly string[]) =>
  coordinationElection(
    parseFlags(
      flags.map((flag) => `--coordinated-leadership-${flag}`),
      flagsData,
      createIdentity(identityData, 'kubernetes'),
    ).values,
    'here',
    'mine',
  );

test('times of the lease by which servers elect the one that chooses among candidates', () => {
  assert.equal(coordinationOf([]), { ...DEFAULTS, name: 'mine', namespace: 'here' });
  const times = { leaseDuration: 9_000, renewDeadline: 6_000, retryPeriod: 500 };
  assert.equal(coordinationOf(['lease-duration=9s', 'renew-deadline=6s', 'retry-period=500ms']), {
    ...times,
    name: 'mine',
    namespace: 'here',
  });
});

for (const [flags, problem] of [
  [['lease-duration=10s'], '--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline'],
  [['retry-period=10s'], '--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period'],
  [['retry-period=0s'], '--coordinated-leadership-retry-period: retryPeriod must be greater than zero'],
  [['lease-duration=15500ms'], '--coordinated-leadership-lease-duration: leaseDuration must be whole seconds'],
] as const)
  test(`refused: --coordinated-leadership-${flags}`, () =>
    assert.throws(
      () => coordinationOf(flags),
      ({ message }: Error) => message === problem,
    ));

test('the help lists them among those of controllers, with their defaults', () => {
  const help = flagsHelp('server', '', flagsData, createIdentity(identityData, 'kubernetes'), { options: {} });
  const [, controllers = ''] = help.split('\nControllers:');
  const [own = ''] = controllers.split('\nAudit:');
  const described = (flag: string): string => new RegExp(`\\n  --${flag}(?: [A-Z]+)?\\n((?: {6}.*\\n)+)`).exec(own)?.[1] ?? '';
  for (const [flag, shown] of [
    ['leader-elect', 'true'],
    ['leader-elect-lease-duration', '15s'],
    ['leader-elect-renew-deadline', '10s'],
    ['leader-elect-retry-period', '2s'],
    ['leader-elect-resource-name', 'kube-apiserver-controllers'],
    ['leader-elect-resource-namespace', 'kube-system'],
  ] as const)
    assert.ok(described(flag).endsWith(`(default ${shown})\n`), `${flag}: ${described(flag)}`);
});

test.run();
