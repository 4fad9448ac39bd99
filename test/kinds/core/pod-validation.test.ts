import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { creationErrors, lines, ruleContext } from '../context.ts';
import { testKind } from './kinds.ts';
import { container, pod, podOf, rules } from './pods.ts';

const test = suite('pods: validation');
const context = ruleContext();
const STRICT_NAME = 'a valid environment variable name must consist of alphabetic characters, digits';
const C = 'spec.containers[0]';
const HALF =
  'resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}';
const LABEL = 'a lowercase RFC 1123 label must consist of lower case';

const templates = await testKind('PodTemplate');
/** Lines of the errors of a template of pods. */
const templateErrors = (template: object | undefined): string[] => templates.errors({ template });

/** Name, pod, and how each error begins. */
const rows: [string, ReturnType<typeof pod>, string[]][] = [
  ['a good one', pod(), []],
  ['no containers', pod({ containers: [] }), ['spec.containers: Required value']],
  ['no name', pod({ containers: [{ image: 'a' }] }), [`${C}.name: Required value`]],
  ['a bad name', pod({ containers: [{ ...container, name: 'A' }] }), [`${C}.name: Invalid value: "A": ${LABEL}`]],
  ['no image', pod({ containers: [{ name: 'c' }] }), [`${C}.image: Required value`]],
  ['spaces around an image', podOf({ image: ' a' }), [`${C}.image: Invalid value: " a": must not have leading or trailing whitespace`]],
  ['two of one name', pod({ containers: [container, container] }), ['spec.containers[1].name: Duplicate value: "c"']],
  ['an init container of the same name', pod({ initContainers: [container] }), ['spec.initContainers[0].name: Duplicate value: "c"']],
  [
    'a restart policy of a regular container',
    podOf({ restartPolicy: 'Always' }),
    [`${C}.restartPolicy: Forbidden: may not be set for non-init containers`],
  ],
  [
    'a probe of a container that ends',
    pod({ initContainers: [{ name: 'i', image: 'a', livenessProbe: { tcpSocket: { port: 1 } } }] }),
    ['spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always'],
  ],
  [
    'a probe of a sidecar',
    pod({ initContainers: [{ name: 'i', image: 'a', restartPolicy: 'Always', livenessProbe: { tcpSocket: { port: 1 } } }] }),
    [],
  ],
  [
    'ports',
    podOf({
      ports: [{ containerPort: 0 }, { containerPort: 70000, hostPort: 1, name: 'A' }, { containerPort: 1, hostPort: 1, protocol: 'X' }],
    }),
    [
      `${C}.ports[0].containerPort: Required value`,
      `${C}.ports[1].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${C}.ports[1].name: Invalid value: "A": must contain at least one letter (a-z)`,
      `${C}.ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
      `${C}.ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
    ],
  ],
  [
    'a port of the node taken twice',
    podOf({
      ports: [
        { containerPort: 1, hostPort: 5 },
        { containerPort: 2, hostPort: 5 },
      ],
    }),
    [`${C}.ports[1].hostPort: Duplicate value: "TCP//5"`],
  ],
  [
    'a variable with a value and a source',
    podOf({ env: [{ name: 'a', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, { name: 'a=b' }] }),
    [
      `${C}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${C}.env[1].name: Invalid value: "a=b": ${STRICT_NAME}`,
    ],
  ],
  ['a variable from a label', podOf({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: "metadata.labels['x/y']" } } }] }), []],
  [
    'a variable from a field that has none',
    podOf({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] }),
    [
      `${C}.env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace"`,
    ],
  ],
  [
    'a divisor that a resource does not have',
    podOf({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1m' } } }] }),
    [`${C}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.memory": only divisor's values 1, 1k,`],
  ],
  ['a mount without a volume', podOf({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }), [`${C}.volumeMounts[0].name: Not found: "v"`]],
  [
    'mounts at one path, and one that leads away',
    podOf(
      {
        volumeMounts: [
          { name: 'v', mountPath: '/v' },
          { name: 'v', mountPath: '/v', subPath: '../x' },
        ],
      },
      { volumes: [{ name: 'v' }] },
    ),
    [
      `${C}.volumeMounts[1].mountPath: Invalid value: "/v": must be unique`,
      `${C}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`,
    ],
  ],
  [
    'a device of a volume with files',
    podOf({ volumeDevices: [{ name: 'v', devicePath: '/d' }] }, { volumes: [{ name: 'v', emptyDir: {} }] }),
    [
      `${C}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    ],
  ],
  [
    'a probe with two actions, one without any',
    podOf({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } }, readinessProbe: {} }),
    [
      `${C}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
      `${C}.readinessProbe: Required value: must specify a handler type`,
    ],
  ],
  [
    'a sleep longer than the time to end',
    podOf({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    [`${C}.lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than terminationGracePeriodSeconds (30).`],
  ],
  [
    'requests beyond limits',
    podOf({ resources: { requests: { cpu: '2', memory: '-1' }, limits: { cpu: '1' } } }),
    [
      `${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
      `${C}.resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0`,
    ],
  ],
  [
    'a resource that nobody knows',
    podOf({ resources: { requests: { gpu: '1' } } }),
    [
      `${C}.resources.requests[gpu]: Invalid value: gpu: must be a standard resource type or fully qualified`,
      `${C}.resources.requests[gpu]: Invalid value: gpu: must be a standard resource for containers`,
    ],
  ],
  [
    'a resource that inherited members would know',
    podOf({ resources: { requests: { constructor: '1' } } }),
    [`${C}.resources.requests[constructor]: Invalid value: constructor: must be a standard`, `${C}.resources.requests[constructor]`],
  ],
  [
    'half a thing, and half a page',
    podOf({ resources: { limits: { 'a.com/b': '1500m', 'hugepages-2Mi': '1Mi', cpu: '1' } } }),
    [
      `${C}.resources.limits[a.com/b]: Invalid value: ${HALF}: must be an integer`,
      `${C}.resources.limits[hugepages-2Mi]: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi`,
      `${C}.resources.requests[a.com/b]: Invalid value: ${HALF}: must be an integer`,
      `${C}.resources.requests[hugepages-2Mi]: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi`,
    ],
  ],
  [
    'two sources of one volume, and a second volume of its name',
    pod({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }, { name: 'w' }, { name: 'w' }] }),
    ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type', 'spec.volumes[2].name: Duplicate value: "w"'],
  ],
  [
    'volumes of one name, of which the first is wrong',
    pod({ volumes: [{ name: 'v', secret: {} }, { name: 'v' }] }),
    ['spec.volumes[0].secret.secretName: Required value'],
  ],
  [
    'a file of two sources: the second is not looked at',
    pod({
      volumes: [
        {
          name: 'v',
          downwardAPI: { items: [{ path: '..', fieldRef: { fieldPath: 'metadata.uid' }, resourceFieldRef: { resource: 'x' } }] },
        },
      ],
    }),
    [
      'spec.volumes[0].downwardAPI.path: Invalid value: "..": must not contain \'..\'',
      'spec.volumes[0].downwardAPI.path: Invalid value: "..": must not start with \'..\'',
      'spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
    ],
  ],
  [
    'files that are not there or lead away',
    pod({ volumes: [{ name: 'v', secret: { items: [{ key: '', path: '/a' }] } }] }),
    [
      'spec.volumes[0].secret.secretName: Required value',
      'spec.volumes[0].secret.items[0].key: Required value',
      'spec.volumes[0].secret.items[0].path: Invalid value: "/a": must be a relative path',
    ],
  ],
  [
    'two files of one path',
    pod({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { secret: { name: 's', items: [{ key: 'a', path: 'f' }] } },
              { configMap: { name: 'm', items: [{ key: 'a', path: 'f' }] } },
            ],
          },
        },
      ],
    }),
    ['spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths'],
  ],
  [
    'a token without an account',
    pod({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] } }] }),
    [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ],
  ],
  [
    'policies',
    pod({ restartPolicy: 'X', dnsPolicy: 'Y' }),
    ['spec.restartPolicy: Unsupported value: "X"', 'spec.dnsPolicy: Unsupported value: "Y"'],
  ],
  ['no DNS at all', pod({ dnsPolicy: 'None' }), ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
  [
    'the node and its names',
    pod({ nodeName: 'A B', hostname: 'a.b', activeDeadlineSeconds: 0 }),
    [
      'spec.nodeName: Invalid value: "A B"',
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      'spec.hostname: Invalid value: "a.b": must not contain dots',
    ],
  ],
  [
    'a number beyond what a double holds',
    pod({ activeDeadlineSeconds: JSON.parse('9007199254740993') }),
    ['spec.activeDeadlineSeconds: Invalid value: 9007199254740992: must be between'],
  ],
  [
    'tolerations',
    pod({ tolerations: [{ key: 'a', operator: 'In' }, { value: 'b' }, { key: 'a', operator: 'Exists', tolerationSeconds: 1 }] }),
    [
      'spec.tolerations[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"',
      'spec.tolerations[1].operator: Invalid value: "": operator must be Exists when `key` is empty',
      'spec.tolerations[2].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
  ],
  [
    'node affinity: values are not looked at, fields are',
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }],
                matchFields: [{ key: 'x', operator: 'In', values: ['a'] }],
              },
            ],
          },
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "x": not a valid field selector key',
    ],
  ],
  [
    'spreading twice in one way',
    pod({ topologySpreadConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' })) }),
    ['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"'],
  ],
  [
    'spreading twice in one way, told in its place',
    pod({
      topologySpreadConstraints: [0, 1, 0].map((maxSkew) => ({
        maxSkew,
        topologyKey: 'z',
        whenUnsatisfiable: 'ScheduleAnyway',
        minDomains: 1,
      })),
    }),
    [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
      'spec.topologySpreadConstraints[1].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'spec.topologySpreadConstraints[2].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[2].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'parameters of the kernel',
    pod({
      hostNetwork: true,
      securityContext: {
        sysctls: [
          { name: 'net.a', value: '1' },
          { name: 'A', value: '1' },
        ],
      },
    }),
    [
      'spec.securityContext.sysctls[0].name: Invalid value: "net.a": may not be specified when \'hostNetwork\' is true',
      'spec.securityContext.sysctls[1].name: Invalid value: "A": must have at most 253 characters and match regex',
    ],
  ],
  [
    'privileges that contradict each other',
    podOf({ securityContext: { privileged: true, allowPrivilegeEscalation: false, runAsUser: -1 } }),
    [
      `${C}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
      `${C}.securityContext: Invalid value: {`,
    ],
  ],
  [
    'profiles',
    pod({ securityContext: { seccompProfile: { type: 'Localhost' }, appArmorProfile: { type: 'X' } } }),
    [
      'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
      'spec.securityContext.appArmorProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  [
    'settings of another operating system',
    pod({ os: { name: 'windows' }, securityContext: { runAsUser: 1 } }),
    ['spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod'],
  ],
  [
    'an ephemeral container with what keeps others alive, empty or not',
    pod({
      ephemeralContainers: [{ name: 'e', image: 'a', resources: {}, lifecycle: {}, livenessProbe: { exec: { command: ['a'] } } }],
    }),
    [
      'spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ],
  ],
  [
    'what a new pod does not have',
    pod({ nodeName: 'a', schedulingGates: [{ name: 'g' }], ephemeralContainers: [{ name: 'e', image: 'a' }] }),
    [
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
      'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
    ],
  ],
  [
    'tolerations in an annotation, of which there are none',
    pod({}, { annotations: { 'scheduler.alpha.kubernetes.io/tolerations': '[' } }),
    ['metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/tolerations": unexpected end of JSON input'],
  ],
  [
    'tolerations in an annotation',
    pod({}, { annotations: { 'scheduler.alpha.kubernetes.io/tolerations': '[{"operator":"Exists"},{"Key":"a","Operator":"In"}]' } }),
    [
      'metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[1].operator: Unsupported value: "In": supported values: "Equal", "Exists"',
    ],
  ],
  [
    'annotations',
    pod({}, { annotations: { 'kubernetes.io/config.mirror': 'm' } }),
    ['metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set'],
  ],
];

for (const [name, object, expected] of rows)
  test(name, () => {
    const found = creationErrors(rules, object, context);
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

const COST = 'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "x": must be a 32bit integer';
const ONLY_FILES = 'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"';
const ANY_LABELLING = 'spec.securityContext.seLinuxChangePolicy: Unsupported value: "": supported values: "MountOption", "Recursive"';
const costly = pod({}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'x' } });
const labelled = (seLinuxChangePolicy: string): ApiObject => pod({ securityContext: { seLinuxChangePolicy } });
const gateRows: [string, ApiObject, string[], string[]][] = [
  ['a cost', costly, ['PodDeletionCost'], [COST]],
  ['a cost that nobody reads', costly, [], []],
  ['labels by a mount', labelled('MountOption'), ['SELinuxMount'], []],
  ['labels by a mount, where only some volumes are mounted with them', labelled('MountOption'), [], [ONLY_FILES]],
  ['labels of each file', labelled('Recursive'), [], []],
  ['labels of no kind', labelled(''), ['SELinuxMount'], [ANY_LABELLING]],
];
for (const [name, object, gates, expected] of gateRows)
  test(`gates: ${name}`, () => assert.equal(creationErrors(rules, object, ruleContext(...gates)), expected));

const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters';
const SLEEP = 'less than terminationGracePeriodSeconds (30)';
const ZERO_HINT = '. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.';
const searching = (...searches: string[]) => ({ dnsConfig: { searches } });
const sleeping = (seconds: number) => ({ containers: [{ ...container, lifecycle: { preStop: { sleep: { seconds } } } }] });
const named = (...names: string[]) => ({ containers: [{ ...container, env: names.map((name) => ({ name })) }] });
const prefixed = (prefix: string) => ({ prefix, configMapRef: { name: 'm' } });
const [SEARCHES, ZERO, NAMES] = ['RelaxedDNSSearchValidation', 'PodLifecycleSleepActionAllowZero', 'RelaxedEnvironmentVariableValidation'];

/** What a gate allows, and what stays allowed without it where it was so before: spec, gate, spec before, and how each error begins. */
const relaxed: readonly (readonly [name: string, spec: object, gate: string, old: object | undefined, errors: readonly string[]])[] = [
  [
    'searches with underscores without the gate',
    searching('a_b.c', '.', 'd.'),
    '',
    undefined,
    [
      `spec.dnsConfig.searches[0]: Invalid value: "a_b.c": ${SUBDOMAIN}, '-' or '.'`,
      `spec.dnsConfig.searches[1]: Invalid value: "": ${SUBDOMAIN}, '-' or '.'`,
    ],
  ],
  ['searches with underscores', searching('a_b.c', '.', '_d.', '_e_f'), SEARCHES, undefined, []],
  [
    'searches that no underscores make right',
    searching('..', '_', 'a_', 'A'),
    SEARCHES,
    undefined,
    ['.', '_', 'a_', 'A'].map((value, at) => `spec.dnsConfig.searches[${at}]: Invalid value: "${value}": ${SUBDOMAIN}, '_', '-' or '.'`),
  ],
  ['searches with underscores where one was there', searching('a_b'), '', searching('_c'), []],
  ['a single dot where one was there', searching('.'), '', searching('.'), []],
  [
    'searches with underscores where none was there',
    searching('a_b'),
    '',
    searching('c'),
    [`spec.dnsConfig.searches[0]: Invalid value: "a_b"`],
  ],
  [
    'no sleep without the gate',
    sleeping(0),
    '',
    undefined,
    [`${C}.lifecycle.preStop.sleep: Invalid value: 0: must be greater than 0 and ${SLEEP}${ZERO_HINT}`],
  ],
  ['no sleep', sleeping(0), ZERO, undefined, []],
  [
    'a negative sleep',
    sleeping(-1),
    ZERO,
    undefined,
    [`${C}.lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and ${SLEEP}`],
  ],
  [
    'a sleep that is too long',
    sleeping(31),
    ZERO,
    undefined,
    [`${C}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and ${SLEEP}`],
  ],
  ['a variable with a space without the gate', named('a b'), '', undefined, [`${C}.env[0].name: Invalid value: "a b": ${STRICT_NAME}`]],
  ['a variable with a space', named('a b'), NAMES, undefined, []],
  ['one that was there', named('a b'), '', named('a b'), []],
  ['another one beside one that stays', named('a b', 'c d'), '', named('a b'), []],
  [
    'a prefix with a space beside a variable that stays',
    { containers: [{ ...container, env: [{ name: 'a b' }], envFrom: [prefixed('c d')] }] },
    '',
    named('a b'),
    [],
  ],
  ['another one in place of one', named('c d'), '', named('a b'), [`${C}.env[0].name: Invalid value: "c d": ${STRICT_NAME}`]],
  [
    'one with an equals sign beside one that stays',
    named('a b', 'c=d'),
    '',
    named('a b'),
    [`${C}.env[1].name: Invalid value: "c=d": a valid environment variable name must consist only of printable ASCII characters`],
  ],
  [
    'a variable with an equals sign',
    named('a=b'),
    NAMES,
    undefined,
    [`${C}.env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters`],
  ],
  ['no sleep where there was none', sleeping(0), '', sleeping(0), []],
  [
    'a negative sleep where there was none',
    sleeping(-1),
    '',
    sleeping(0),
    [`${C}.lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and ${SLEEP}`],
  ],
  [
    'no sleep where there was some',
    sleeping(0),
    '',
    sleeping(1),
    [`${C}.lifecycle.preStop.sleep: Invalid value: 0: must be greater than 0`],
  ],
];

for (const [name, spec, gate, old, expected] of relaxed)
  test(name, () => {
    const given = ruleContext(gate);
    const template = (of: object) => templates.make({ template: { spec: pod(of).spec } });
    const found =
      old === undefined ? creationErrors(rules, pod(spec), given) : lines(templates.rules.validate?.(template(spec), given, template(old)));
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries())
      assert.ok(found[index]?.replace('template.', '').startsWith(beginning), found[index]);
  });

test('privileged containers, where none may be', () => {
  const asking = podOf({ securityContext: { privileged: true, runAsUser: -1 } });
  assert.equal(creationErrors(rules, asking, { ...context, allowsPrivileged: false }), [
    `${C}.securityContext.privileged: Forbidden: disallowed by cluster policy`,
    `${C}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
  ]);
  const denying = podOf({ securityContext: { privileged: false } });
  assert.equal(creationErrors(rules, denying, { ...context, allowsPrivileged: false }), []);
});

test('a template leaves to the pods what they must have', () => {
  const { spec } = pod({ containers: [{ name: 'c', image: ' a', ports: [{ containerPort: 80 }] }] });
  spec.hostNetwork = true;
  delete spec.containers[0].ports[0].hostPort;
  assert.equal(templateErrors({ metadata: { labels: { 'a b': 'c' } }, spec }).length, 1);
});

test('a template has no ephemeral containers', () =>
  assert.equal(templateErrors({ spec: pod({ ephemeralContainers: [{ name: 'e', image: 'a' }] }).spec }), [
    'template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
  ]));

test('an absent template needs containers', () =>
  assert.ok(templateErrors(undefined).includes('template.spec.containers: Required value')));

test.run();
