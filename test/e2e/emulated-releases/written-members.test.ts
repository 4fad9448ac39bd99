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

test.run();
