import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleContext } from '../context.ts';
import { rowOf } from '../kind.ts';
import { container, pod, podOf, rules } from './pods.ts';

const test = suite('pods: cells and warnings');
const now = Date.parse('2026-01-01T00:10:00Z');
const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
const two = { containers: [container, { ...container, name: 'd' }] };
const sidecar = { name: 's', image: 'a', restartPolicy: 'Always' };
const init = { name: 'i', image: 'a' };
const initStatus = (state: object, more: object = {}): object => ({
  initContainerStatuses: [{ name: 'i', state, ...more }],
  phase: 'Pending',
});

/** Ready, status and restarts. */
const rows: [string, object, object, object, [string, string, string]][] = [
  ['nothing known', {}, {}, {}, ['0/1', '', '0']],
  ['pending', {}, { phase: 'Pending' }, {}, ['0/1', 'Pending', '0']],
  ['evicted', {}, { phase: 'Failed', reason: 'Evicted' }, {}, ['0/1', 'Evicted', '0']],
  [
    'gated',
    {},
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    {},
    ['0/1', 'SchedulingGated', '0'],
  ],
  [
    'one of two ready',
    two,
    {
      phase: 'Running',
      containerStatuses: [
        { name: 'c', ready: true, state: { running: {} } },
        { name: 'd', state: { running: {} } },
      ],
    },
    {},
    ['1/2', 'Running', '0'],
  ],
  [
    'waiting',
    {},
    { phase: 'Pending', containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    {},
    ['0/1', 'ImagePullBackOff', '0'],
  ],
  [
    'ended with a code',
    {},
    { phase: 'Failed', containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 3 } } }] },
    {},
    ['0/1', 'ExitCode:3', '0'],
  ],
  [
    'ended by a signal',
    {},
    { phase: 'Failed', containerStatuses: [{ name: 'c', state: { terminated: { signal: 9 } } }] },
    {},
    ['0/1', 'Signal:9', '0'],
  ],
  [
    'restarted',
    {},
    {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'c',
          ready: true,
          restartCount: 3,
          state: { running: {} },
          lastState: { terminated: { finishedAt: '2026-01-01T00:05:00Z' } },
        },
      ],
    },
    {},
    ['1/1', 'Running', '3 (5m ago)'],
  ],
  [
    'half completed, ready',
    two,
    {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: 'c', state: { terminated: { reason: 'Completed' } } },
        { name: 'd', ready: true, state: { running: {} } },
      ],
    },
    {},
    ['1/2', 'Running', '0'],
  ],
  [
    'half completed, not ready',
    two,
    {
      phase: 'Running',
      containerStatuses: [
        { name: 'c', state: { terminated: { reason: 'Completed' } } },
        { name: 'd', ready: true, state: { running: {} } },
      ],
    },
    {},
    ['1/2', 'NotReady', '0'],
  ],
  ['deleted', {}, { phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:10:00Z' }, ['0/1', 'Terminating', '0']],
  ['deleted after it ended', {}, { phase: 'Succeeded' }, { deletionTimestamp: '2026-01-01T00:10:00Z' }, ['0/1', 'Succeeded', '0']],
  [
    'deleted on a lost node',
    {},
    { phase: 'Running', reason: 'NodeLost' },
    { deletionTimestamp: '2026-01-01T00:10:00Z' },
    ['0/1', 'Unknown', '0'],
  ],
  ['first container runs', { initContainers: [init] }, initStatus({ running: {} }), {}, ['0/1', 'Init:0/1', '0']],
  [
    'first container failed',
    { initContainers: [init] },
    initStatus({ terminated: { exitCode: 2 } }, { restartCount: 1 }),
    {},
    ['0/1', 'Init:ExitCode:2', '1'],
  ],
  [
    'first container waits',
    { initContainers: [init] },
    initStatus({ waiting: { reason: 'CrashLoopBackOff' } }),
    {},
    ['0/1', 'Init:CrashLoopBackOff', '0'],
  ],
  [
    'a sidecar counts among the ready',
    { initContainers: [sidecar] },
    {
      phase: 'Running',
      initContainerStatuses: [{ name: 's', started: true, ready: true, restartCount: 2, state: { running: {} } }],
      containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }],
    },
    {},
    ['2/2', 'Running', '2'],
  ],
];
for (const [name, spec, status, more, expected] of rows)
  test(`cells: ${name}`, async () => {
    const cells = await rowOf(pod(spec, { ...metadata, ...more }, status), now);
    assert.equal(cells.slice(1, 4), expected);
    assert.is(cells[4], '10m');
  });

test('cells: the places', async () => {
  const status = { podIP: '10.0.0.1', nominatedNodeName: 'm', conditions: [{ type: 'a/b', status: 'True' }] };
  const spec = { nodeName: 'n', readinessGates: [{ conditionType: 'a/b' }, { conditionType: 'c/d' }] };
  assert.equal((await rowOf(pod(spec, metadata, status), now)).slice(5), ['10.0.0.1', 'n', 'm', '1/2']);
  assert.equal((await rowOf(pod({}, metadata), now)).slice(5), ['<none>', '<none>', '<none>', '<none>']);
  const ready = (states: string[]): object => ({ conditions: states.map((state) => ({ type: 'a', status: state })) });
  const gated = { readinessGates: [{ conditionType: 'a' }] };
  assert.is((await rowOf(pod(gated, metadata, ready(['Unknown', 'True'])), now))[8], '0/1');
  assert.is((await rowOf(pod(gated, metadata, ready(['True', 'False'])), now))[8], '1/1');
});

const C = 'spec.containers[0]';
const warnings: [string, ReturnType<typeof pod>, string[]][] = [
  ['nothing', pod(), []],
  [
    'an old label',
    pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    'a variable twice',
    podOf({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    }),
    [`${C}.env[1]: hides previous definition of "A", which may be dropped when using apply`],
  ],
  [
    'a variable that builds on itself',
    podOf({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A)2' },
      ],
    }),
    [],
  ],
  [
    'half a byte',
    podOf({ resources: { requests: { memory: '500m' } } }),
    [`${C}.resources.requests[memory]: fractional byte value "500m" is invalid, must be an integer`],
  ],
  [
    'a volume of the past',
    pod({ volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] }),
    ['spec.volumes[0].gitRepo: deprecated in v1.11'],
  ],
  ['an address twice', pod({ hostAliases: [{ ip: '::1' }, { ip: '::1' }] }), ['spec.hostAliases[1].ip: duplicate ip "::1"']],
  [
    'secrets twice and without name',
    pod({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] }),
    ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
  ],
  [
    'a port twice',
    podOf({ ports: [{ containerPort: 1 }, { containerPort: 1 }] }),
    [`${C}.ports[1]: duplicate port definition with ${C}.ports[0]`],
  ],
  [
    'no selector',
    pod({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }] }),
    ['spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod'],
  ],
  [
    'a lost annotation',
    pod({}, { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } }),
    ['metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead'],
  ],
  [
    'files in the place of each other',
    pod({
      volumes: [
        {
          name: 'a',
          configMap: {
            name: 'm',
            items: [
              { key: 'k', path: 'x/y' },
              { key: 'l', path: 'x' },
              { key: 'n', path: 'xy' },
            ],
          },
        },
        {
          name: 'b',
          secret: {
            secretName: 's',
            items: [
              { key: 'k', path: 'x/' },
              { key: 'l', path: 'x' },
            ],
          },
        },
        {
          name: 'c',
          downwardAPI: {
            items: [
              { path: 'p', fieldRef: {} },
              { path: 'q', fieldRef: {} },
            ],
          },
        },
      ],
    }),
    ['volume "a" (ConfigMap "m"): overlapping paths: "x" with "x/y"', 'volume "b" (Secret "s"): overlapping paths: "x" with "x"'],
  ],
  [
    'files of different sources in the place of each other',
    pod({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't' } },
              { secret: { name: 's', items: [{ key: 'k', path: 't' }] } },
              {},
              { configMap: { name: 'm', items: [{ key: 'k', path: 't/u' }] } },
            ],
          },
        },
      ],
    }),
    [
      'volume "v" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
      'volume "v" (Projected) has no sources provided',
      'volume "v" (Projected): overlapping paths: "t/u" (ConfigMap "m") with "t" (ServiceAccountToken)',
      'volume "v" (Projected): overlapping paths: "t/u" (ConfigMap "m") with "t" (Secret "s")',
    ],
  ],
  [
    'what is wrong with one container before the next',
    pod(
      {
        containers: [
          { name: 'a', image: 'a', resources: { limits: { memory: '1500m', 'ephemeral-storage': '1500m' }, requests: { memory: '500m' } } },
          { name: 'b', image: 'b', env: [{ name: 'A' }, { name: 'A' }] },
        ],
      },
      { annotations: { 'container.seccomp.security.alpha.kubernetes.io/b': 'unconfined' } },
    ),
    [
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "500m" is invalid, must be an integer',
      'spec.containers[0].resources.limits[ephemeral-storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "1500m" is invalid, must be an integer',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/b]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'spec.containers[1].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ],
  ],
];
for (const [name, object, expected] of warnings)
  test(`warns of ${name}`, () => assert.equal(rules.warnings?.(object, undefined, ruleContext()), expected));

test('what was there before is not warned of again', () => {
  const object = pod({ hostAliases: [{ ip: '::1' }, { ip: '::1' }] });
  assert.equal(rules.warnings?.(object, structuredClone(object), ruleContext()), []);
});

test.run();
