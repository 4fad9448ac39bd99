/** What each check finds in each version of it: rows of pods with what is told of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PodSpec } from '../../../generated/core/v1/types.ts';
import { CHECKS, detailsOf, Evaluation, reasonsOf } from '../../../runtime/admission/pod-security/evaluation.ts';
import type { Level } from '../../../runtime/admission/pod-security/policy.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('checks of pod security');

/** What keeps to all rules of the level restricted. */
const GOOD = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  /** of the spec */
  readonly spec?: object;
  /** security context of the pod */
  readonly pod?: object;
  /** security contexts of the containers a, b, …, on top of what is good */
  readonly containers?: readonly object[];
  /** gate UserNamespacesPodSecurityStandards */
  readonly relaxed?: boolean;
}

function told({ annotations = {}, spec = {}, pod, containers = [{}], relaxed = false }: Given, level: Level, version: string): string {
  const evaluation = new Evaluation({ identity, release: '1.32', relaxesOwnUsers: relaxed });
  const named = containers.map((context, index) => ({ name: 'abc'[index], image: 'i', securityContext: { ...GOOD, ...context } }));
  const whole = { containers: named, ...(pod && { securityContext: pod }), ...spec } as unknown as PodSpec;
  return detailsOf(evaluation.violations({ metadata: { annotations }, spec: whole }, { level, version }));
}

type Row = readonly [name: string, given: Given, level: Level, told: Readonly<Record<string, string>>];
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const WINDOWS = { os: { name: 'windows' } };
const OWN_USERS = { hostUsers: false };

const ROWS: readonly Row[] = [
  ['all that is good', {}, 'restricted', { 'v1.0': '', 'v1.8': '', 'v1.25': '', 'v1.32': '', latest: '', 'v1.99': '' }],
  ['privileged, which nobody looks at', { containers: [{ privileged: true }] }, 'privileged', { 'v1.0': '', latest: '' }],
  [
    'privileged',
    { containers: [{ privileged: true }] },
    'baseline',
    {
      'v1.0': 'privileged (container "a" must not set securityContext.privileged=true)',
      latest: 'privileged (container "a" must not set securityContext.privileged=true)',
    },
  ],
  [
    'privileged, of two out of three',
    { containers: [{ privileged: true }, { privileged: false }, { privileged: true }] },
    'restricted',
    { latest: 'privileged (containers "a", "c" must not set securityContext.privileged=true)' },
  ],
  [
    'privileged containers of all lists, those that run first in front',
    {
      spec: {
        ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }],
        initContainers: [{ name: 'i', securityContext: { privileged: true } }],
      },
    },
    'baseline',
    { latest: 'privileged (containers "i", "e" must not set securityContext.privileged=true)' },
  ],
  [
    'what of the node is shared',
    { spec: { hostIPC: true, hostNetwork: true, hostPID: true } },
    'baseline',
    { latest: 'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)' },
  ],
  ['what is not shared', { spec: { hostIPC: false } }, 'baseline', { latest: '' }],
  [
    'ports of the node, in the order of text',
    {
      spec: {
        containers: [
          { name: 'a', ports: [{ hostPort: 80 }, { hostPort: 0 }, {}] },
          { name: 'b', ports: [{ hostPort: 8080 }, { hostPort: 443 }] },
        ],
      },
    },
    'baseline',
    { latest: 'hostPort (containers "a", "b" use hostPorts 443, 80, 8080)' },
  ],
  [
    'one port of the node',
    { spec: { containers: [{ name: 'a', ports: [{ hostPort: 80 }] }] } },
    'baseline',
    { latest: 'hostPort (container "a" uses hostPort 80)' },
  ],
  [
    'paths of the node',
    {
      spec: {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', hostPath: { path: '/x' } },
          { name: 's', secret: {} },
        ],
      },
    },
    'baseline',
    { latest: 'hostPath volumes (volumes "v", "w")' },
  ],
  [
    'paths of the node, told once where all volumes are looked at',
    { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    'restricted',
    { 'v1.0': 'restricted volume types (volume "v" uses restricted volume type "hostPath")' },
  ],
  [
    'volumes that only claims should lead to, and one that is new',
    {
      spec: {
        volumes: [
          { name: 'n', nfs: {} },
          { name: 'e', emptyDir: {} },
          { name: 'm', image: {} },
          { name: 'o', nfs: {} },
        ],
      },
    },
    'restricted',
    { latest: 'restricted volume types (volumes "n", "m", "o" use restricted volume types "nfs", "unknown")' },
  ],
  [
    'volumes of all kinds that are allowed',
    {
      spec: {
        volumes: ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'].map(
          (type) => ({ name: type.toLowerCase(), [type]: {} }),
        ),
      },
    },
    'restricted',
    { latest: '' },
  ],
  [
    'capabilities that are none of the default ones',
    { containers: [{ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'], drop: ['ALL'] } }] },
    'baseline',
    { latest: 'non-default capabilities (container "a" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)' },
  ],
  [
    'capabilities, before all were to be dropped and after',
    { containers: [{ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_BIND_SERVICE'] } }, { capabilities: undefined }] },
    'restricted',
    {
      'v1.21': 'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
      'v1.22':
        'unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN", "SYS_ADMIN" in securityContext.capabilities.add)',
    },
  ],
  [
    'capabilities on Windows',
    { spec: WINDOWS, containers: [{ capabilities: undefined }] },
    'restricted',
    { 'v1.24': 'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])', 'v1.25': '' },
  ],
  [
    'rights that grow',
    { containers: [{ allowPrivilegeEscalation: undefined }, { allowPrivilegeEscalation: true }, {}] },
    'restricted',
    {
      'v1.7': '',
      'v1.8': 'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)',
    },
  ],
  [
    'rights that grow, on Windows',
    { spec: WINDOWS, containers: [{ allowPrivilegeEscalation: true }] },
    'restricted',
    { 'v1.24': 'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)', latest: '' },
  ],
  [
    'what is shown of /proc',
    { containers: [{ procMount: 'Unmasked' }, { procMount: 'Default' }, { procMount: 'Other' }] },
    'baseline',
    { latest: 'procMount (containers "a", "c" must not set securityContext.procMount to "Other", "Unmasked")' },
  ],
  [
    'the user 0',
    { pod: { runAsUser: 0 }, containers: [{ runAsUser: 0 }, { runAsUser: 1 }] },
    'restricted',
    { 'v1.22': '', 'v1.23': 'runAsUser=0 (pod and container "a" must not set runAsUser=0)' },
  ],
  [
    'who may be root, said by nobody',
    { containers: [{ runAsNonRoot: undefined }, {}] },
    'restricted',
    { 'v1.0': 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)' },
  ],
  [
    'who may be root, said by the pod',
    { pod: { runAsNonRoot: true }, containers: [{ runAsNonRoot: undefined }] },
    'restricted',
    { latest: '' },
  ],
  [
    'who may be root, said wrongly',
    { pod: { runAsNonRoot: false }, containers: [{ runAsNonRoot: undefined }, { runAsNonRoot: false }] },
    'restricted',
    { latest: 'runAsNonRoot != true (pod and container "b" must not set securityContext.runAsNonRoot=false)' },
  ],
  [
    'pods with users of their own, where that changes nothing',
    { spec: OWN_USERS, containers: [{ runAsUser: 0, procMount: 'Unmasked' }] },
    'restricted',
    {
      latest:
        'procMount (container "a" must not set securityContext.procMount to "Unmasked"), runAsUser=0 (container "a" must not set runAsUser=0)',
    },
  ],
  [
    'pods with users of their own, where rules are relaxed for them',
    { relaxed: true, spec: OWN_USERS, containers: [{ runAsUser: 0, runAsNonRoot: false, procMount: 'Unmasked' }] },
    'restricted',
    { latest: '' },
  ],
  [
    'pods with users of the node, where rules are relaxed for others',
    { relaxed: true, spec: { hostUsers: true }, containers: [{ runAsUser: 0 }] },
    'restricted',
    { latest: 'runAsUser=0 (container "a" must not set runAsUser=0)' },
  ],
  [
    'filters of calls in annotations',
    {
      annotations: {
        [SECCOMP_POD]: 'unconfined',
        [`${SECCOMP}a`]: 'docker/default',
        [`${SECCOMP}b`]: 'x"y',
        [`${SECCOMP}none`]: 'unconfined',
      },
      containers: [{}, {}],
    },
    'baseline',
    {
      'v1.18': `seccompProfile (forbidden annotations ${SECCOMP}b="x\\"y", ${SECCOMP_POD}="unconfined")`,
      'v1.19': '',
    },
  ],
  [
    'filters of calls in annotations, before there were others to want',
    { annotations: { [SECCOMP_POD]: 'unconfined', [`${SECCOMP}a`]: 'runtime/default' } },
    'restricted',
    { 'v1.18': `seccompProfile (forbidden annotation ${SECCOMP_POD}="unconfined")`, 'v1.19': '' },
  ],
  [
    'filters of calls that are none',
    {
      pod: { seccompProfile: { type: 'Unconfined' } },
      containers: [{ seccompProfile: undefined }, { seccompProfile: { type: 'Localhost' } }],
    },
    'baseline',
    { 'v1.18': '', 'v1.19': 'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")' },
  ],
  [
    'filters of calls that nobody wants',
    { containers: [{ seccompProfile: undefined }, {}] },
    'restricted',
    {
      'v1.18': '',
      'v1.19': 'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    },
  ],
  [
    'filters of calls that the pod wants',
    {
      pod: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ seccompProfile: undefined }, { seccompProfile: { type: 'Unconfined' } }],
    },
    'restricted',
    { latest: 'seccompProfile (container "b" must not set securityContext.seccompProfile.type to "Unconfined")' },
  ],
  [
    'filters of calls on Windows',
    { spec: WINDOWS, containers: [{ seccompProfile: undefined }] },
    'restricted',
    {
      'v1.24': 'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      'v1.25': '',
    },
  ],
  [
    'parameters of the kernel',
    {
      pod: {
        sysctls: [
          'kernel.msgmax',
          'net.ipv4.ip_local_reserved_ports',
          'net.ipv4.tcp_fin_timeout',
          'net.ipv4.tcp_rmem',
          'net.ipv4.tcp_syncookies',
        ].map((name) => ({ name, value: '1' })),
      },
    },
    'baseline',
    {
      'v1.26': 'forbidden sysctls (kernel.msgmax, net.ipv4.ip_local_reserved_ports, net.ipv4.tcp_fin_timeout, net.ipv4.tcp_rmem)',
      'v1.27': 'forbidden sysctls (kernel.msgmax, net.ipv4.tcp_fin_timeout, net.ipv4.tcp_rmem)',
      'v1.29': 'forbidden sysctls (kernel.msgmax, net.ipv4.tcp_rmem)',
      'v1.32': 'forbidden sysctls (kernel.msgmax)',
      latest: 'forbidden sysctls (kernel.msgmax)',
    },
  ],
  [
    'a filter of the pod for containers without one',
    { pod: { seccompProfile: { type: 'Localhost' } }, containers: [{ seccompProfile: undefined }] },
    'restricted',
    { 'v1.19': '', latest: '' },
  ],
  [
    'labels of SELinux',
    {
      pod: { seLinuxOptions: { type: 'container_engine_t', level: 's0' } },
      containers: [{ seLinuxOptions: { type: 'spc_t', user: 'u' } }, { seLinuxOptions: { type: 'container_t' } }],
    },
    'baseline',
    {
      'v1.30':
        'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set)',
      'v1.31': 'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    },
  ],
  [
    'labels of SELinux without a type',
    { pod: { seLinuxOptions: { user: 'u', role: 'r' } } },
    'baseline',
    { latest: 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set; role may not be set)' },
  ],
  [
    'a role of SELinux alone',
    { containers: [{ seLinuxOptions: { role: 'r' } }] },
    'baseline',
    { latest: 'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: role may not be set)' },
  ],
  [
    'profiles of AppArmor in annotations that are good',
    { annotations: { [`${APP_ARMOR}a`]: '', [`${APP_ARMOR}b`]: 'runtime/default', [`${APP_ARMOR}c`]: 'localhost/x' } },
    'baseline',
    { latest: '' },
  ],
  [
    'profiles of AppArmor in fields',
    {
      pod: { appArmorProfile: { type: 'Unconfined' } },
      containers: [{ appArmorProfile: { type: 'Localhost' } }, { appArmorProfile: { type: 'Unconfined' } }],
    },
    'baseline',
    { latest: 'forbidden AppArmor profile (pod and container "b" must not set AppArmor profile type to "Unconfined")' },
  ],
  [
    'profiles of AppArmor in annotations',
    {
      annotations: { [`${APP_ARMOR}b`]: 'unconfined', [`${APP_ARMOR}a`]: 'bogus', [`${APP_ARMOR}c`]: '', [`${APP_ARMOR}d`]: 'localhost/x' },
      containers: [{ appArmorProfile: { type: 'Unconfined' } }],
    },
    'baseline',
    {
      latest: `forbidden AppArmor profiles (container "a" and annotations must not set AppArmor profile type to "Unconfined", "${APP_ARMOR}a="bogus"", "${APP_ARMOR}b="unconfined"")`,
    },
  ],
  [
    'processes of a Windows node',
    {
      pod: { windowsOptions: { hostProcess: true } },
      containers: [{ windowsOptions: { hostProcess: true } }, { windowsOptions: { hostProcess: false } }],
    },
    'baseline',
    { 'v1.0': 'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)' },
  ],
  [
    'a pod that says nothing',
    { spec: { containers: [{ name: 'c', image: 'i' }] } },
    'restricted',
    {
      'v1.0': 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
      latest:
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    },
  ],
];
for (const [name, given, level, expected] of ROWS)
  for (const [version, text] of Object.entries(expected))
    test(`${name}: ${level}:${version}`, () => assert.is(told(given, level, version), text));

test('have names of their own, in the order in which they are told, and versions that follow each other', () => {
  const names = CHECKS.map(({ level, id }) => `${level} ${id}`);
  assert.equal(names, [...new Set(names)].sort());
  for (const { id, versions } of CHECKS) {
    const since = versions.map((version) => version.since);
    assert.equal(
      since,
      [...new Set(since)].sort((a, b) => a - b),
      id,
    );
  }
});

test('override only what there is a level below', () => {
  for (const { id, level, overrides } of CHECKS)
    if (overrides !== undefined) {
      assert.is(level, 'restricted', id);
      assert.is(CHECKS.find((check) => check.id === overrides)?.level, 'baseline', id);
    }
});

test('of many pods only the reasons are told', () => {
  assert.is(
    reasonsOf([
      { reason: 'a', detail: 'x' },
      { reason: 'b', detail: 'y' },
    ]),
    'a, b',
  );
});

test('the latest rules are those of the release that is served', () => {
  const evaluation = new Evaluation({ identity, release: '1.26', relaxesOwnUsers: false });
  const spec = { containers: [], securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } };
  for (const version of ['latest', 'v1.32', 'v1.26'])
    assert.is(reasonsOf(evaluation.violations({ spec }, { level: 'baseline', version })), 'forbidden sysctls');
});

test.run();
