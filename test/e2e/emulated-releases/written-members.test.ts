/** What earlier releases kept of the members that clients wrote. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer } from './server.ts';

const test = suite('members that earlier releases kept');
const FLAGS = { 'runtime-config': { 'api/all': true } };

const attachments = (version: string): string => `/apis/storage.k8s.io/${version}/volumeattachments`;
const attachment = (version: string) => ({
  apiVersion: `storage.k8s.io/${version}`,
  kind: 'VolumeAttachment',
  metadata: { name: version },
  spec: { attacher: 'driver.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  status: { attached: true },
});

test('the status of an attachment is written with the object in v1beta1 alone', () =>
  withServer('1.20', { flags: FLAGS }, async (server) => {
    const found = [];
    for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
      const made = await server.call('POST', attachments(version), attachment(version));
      const changed = { ...made.body, status: { attached: !made.body.status.attached } };
      const updated = await server.call('PUT', `${attachments(version)}/${version}`, changed);
      found.push([version, made.status, made.body.status.attached, updated.status, updated.body.status.attached]);
    }
    assert.equal(found, [
      ['v1', 201, false, 200, false],
      ['v1beta1', 201, true, 200, false],
      ['v1alpha1', 201, false, 200, false],
    ]);
  }));

const policy = {
  apiVersion: 'policy/v1beta1',
  kind: 'PodSecurityPolicy',
  metadata: { name: 'p' },
  spec: {
    allowedProcMountTypes: ['Default'],
    seLinux: { rule: 'RunAsAny' },
    runAsUser: { rule: 'RunAsAny' },
    supplementalGroups: { rule: 'RunAsAny' },
    fsGroup: { rule: 'RunAsAny' },
  },
};
for (const [ProcMountType, kept] of [
  [false, undefined],
  [true, ['Default']],
] as const)
  test(`a pod security policy names ways of showing /proc where their gate is open: ${ProcMountType}`, () =>
    withServer('1.20', { flags: { ...FLAGS, 'feature-gates': { ProcMountType } } }, async (server) => {
      const { status, body } = await server.call('POST', '/apis/policy/v1beta1/podsecuritypolicies', policy);
      assert.equal([status, body.spec.allowedProcMountTypes], [201, kept]);
    }));

const WRONG: readonly [member: string, value: unknown, causes: readonly string[]][] = [
  ['seLinux', {}, ['spec.seLinux.rule: Unsupported value: "": supported values: "MustRunAs", "RunAsAny"']],
  ['fsGroup', { rule: 'Never' }, ['spec.fsGroup.rule: Unsupported value: "Never": supported values: "MayRunAs", "MustRunAs", "RunAsAny"']],
  [
    'runAsUser',
    { rule: 'MustRunAs', ranges: [{ min: 2, max: -1 }] },
    [
      'spec.runAsUser.ranges[0].max: Invalid value: -1: max cannot be negative',
      'spec.runAsUser.ranges[0].min: Invalid value: 2: min cannot be greater than max',
    ],
  ],
  [
    'defaultAddCapabilities',
    ['KILL'],
    ['defaultAddCapabilities: Invalid value: "KILL": capability is listed in defaultAddCapabilities and requiredDropCapabilities'],
  ],
  ['allowedHostPaths', [{ pathPrefix: '/a/../b' }], ['spec.allowedHostPaths[0]: Invalid value: "/a/../b": must not contain \'..\'']],
  ['allowedFlexVolumes', [{}], ['spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver']],
  ['forbiddenSysctls', ['*', 'net.*'], ["spec.forbiddenSysctls.items: Forbidden: if '*' is present, must not specify other sysctls"]],
  [
    'runtimeClass',
    { allowedRuntimeClassNames: ['a'], defaultRuntimeClassName: 'b' },
    ['spec.runtimeClass.allowedRuntimeClassNames: Required value: default "b" must be allowed'],
  ],
];
test('pod security policies are held to what they may say, and are answered when they are deleted', () =>
  withServer('1.20', { flags: FLAGS }, async (server) => {
    const path = '/apis/policy/v1beta1/podsecuritypolicies';
    const spec = { ...policy.spec, requiredDropCapabilities: ['KILL'] };
    for (const [member, value, causes] of WRONG) {
      const { status, body } = await server.call('POST', path, { ...policy, spec: { ...spec, [member]: value } });
      const found = body.details.causes.map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`);
      assert.equal([status, found], [422, causes], member);
    }
    assert.is((await server.call('POST', path, { ...policy, spec })).status, 201);
    assert.is((await server.call('DELETE', `${path}/p`)).body.kind, 'PodSecurityPolicy');
  }));

test('jobs of cron jobs stay where a beta version deletes these', () =>
  withServer('1.21', { flags: { ...FLAGS, controllers: ['-*'] } }, async (server) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const job = { metadata: { name: 'c' }, spec: { schedule: '@daily', jobTemplate: { spec: { template } } } };
    const found = [];
    for (const version of ['v1', 'v1beta1']) {
      const path = `/apis/batch/${version}/namespaces/default/cronjobs`;
      await server.call('POST', path, job);
      const { body } = await server.call('DELETE', `${path}/c`);
      found.push([body.kind, body.metadata.finalizers]);
    }
    assert.equal(found, [
      ['Status', undefined],
      ['CronJob', ['orphan']],
    ]);
  }));

test.run();
