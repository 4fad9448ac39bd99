/** How changes that are refused are shown: in the structures that 1.32 has of pods, claims and volumes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { changeTextOf } from '../../../runtime/registry/kinds/change-text.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { object, ruleContext } from '../../kinds/context.ts';
import { loadKind } from '../../kinds/kind.ts';

const decoded = (kind: Kind, value: object): ApiObject => kind.decode(structuredClone(value)).object;

/** Findings that show a difference: its lines, of a change from what one body says to what another one does. */
async function shown(name: string, before: object, sent: object): Promise<string[][]> {
  const kind = await loadKind('v1', name);
  const make = (spec: object): object => object('v1', name, { spec });
  const now = decoded(kind, make(sent));
  const context = { ...ruleContext(), sent: () => make(sent) };
  const updating = { ...context, changeText: changeTextOf(kind, now, context) };
  const found = (kind.rules.validateUpdate?.(now, decoded(kind, make(before)), updating) ?? []) as readonly FieldError[];
  return found.filter(({ message }) => message.includes('\n')).map(({ message }) => message.split('\n').slice(1));
}

const container = { name: 'c', image: 'i:1' };

const test = suite('texts of refused changes');

test('a pod: what decoding leaves out is shown as it was sent', async () => {
  const before = { containers: [{ ...container, resources: { requests: { cpu: '100m' } } }], hostNetwork: true };
  const sent = {
    containers: [{ ...container, command: [], resources: { requests: { cpu: '0.1' } } }],
    volumes: [],
    nodeName: 'n',
    hostNetwork: true,
  };
  assert.equal(await shown('Pod', before, sent), [
    [
      '  core.PodSpec{',
      '  \tVolumes:        nil,',
      '  \tInitContainers: nil,',
      '  \tContainers: []core.Container{',
      '  \t\t{',
      '  \t\t\tName:       "c",',
      '  \t\t\tImage:      "i:1",',
      '- \t\t\tCommand:    nil,',
      '+ \t\t\tCommand:    []string{},',
      '  \t\t\tArgs:       nil,',
      '  \t\t\tWorkingDir: "",',
      '  \t\t\t... // 19 identical fields',
      '  \t\t},',
      '  \t},',
      '  \tEphemeralContainers: nil,',
      '  \tRestartPolicy:       "Always",',
      '  \t... // 4 identical fields',
      '  \tServiceAccountName:           "",',
      '  \tAutomountServiceAccountToken: nil,',
      '- \tNodeName:                     "",',
      '+ \tNodeName:                     "n",',
      '  \tSecurityContext:              &{HostNetwork: true},',
      '  \tImagePullSecrets:             nil,',
      '  \t... // 20 identical fields',
      '  }',
      '',
    ],
  ]);
});

test('a pod: quantities stand as they were spelled, defaults of them as their sources', async () => {
  const limits = (cpu: string) => ({ containers: [{ ...container, resources: { limits: { cpu } } }] });
  const [lines = []] = await shown('Pod', limits('1'), limits('1.5'));
  assert.equal(
    lines.filter((line) => /^[-+]/.test(line)),
    [
      '- \t\t\t\tLimits:   core.ResourceList{s"cpu": {i: resource.int64Amount{value: 1}, s: "1", Format: "DecimalSI"}},',
      '+ \t\t\t\tLimits:   core.ResourceList{s"cpu": {i: resource.int64Amount{value: 15, scale: -1}, Format: "DecimalSI"}},',
      '- \t\t\t\tRequests: core.ResourceList{s"cpu": {i: resource.int64Amount{value: 1}, s: "1", Format: "DecimalSI"}},',
      '+ \t\t\t\tRequests: core.ResourceList{s"cpu": {i: resource.int64Amount{value: 15, scale: -1}, Format: "DecimalSI"}},',
    ],
  );
});

test('a pod: a quantity that was not sent is not shown', async () => {
  const env = [{ name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }];
  const [lines = []] = await shown(
    'Pod',
    { containers: [{ ...container, env }] },
    { containers: [{ ...container, env, ports: [{ containerPort: 80 }] }] },
  );
  assert.ok(lines.join('\n').includes('{ResourceFieldRef: &{Resource: "limits.cpu"}}'), lines.join('\n'));
});

test('a pod: what may change is shown as it was', async () => {
  const spec = { containers: [container], activeDeadlineSeconds: 10 };
  const sent = { containers: [{ ...container, image: 'i:2' }], activeDeadlineSeconds: 5, hostname: 'h', tolerations: [] };
  const [lines = []] = await shown('Pod', spec, sent);
  assert.equal(
    lines.filter((line) => /^[-+]/.test(line)),
    ['- \tHostname:          "",', '+ \tHostname:          "h",'],
  );
});

test('a claim: the class that may be named where there was none is not shown', async () => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const [lines = []] = await shown('PersistentVolumeClaim', claim, { ...claim, storageClassName: 'a', volumeMode: 'Block' });
  assert.equal(lines, [
    '  core.PersistentVolumeClaimSpec{',
    '  \t... // 3 identical fields',
    '  \tVolumeName:                "",',
    '  \tStorageClassName:          nil,',
    '- \tVolumeMode:                &"Filesystem",',
    '+ \tVolumeMode:                &"Block",',
    '  \tDataSource:                nil,',
    '  \tDataSourceRef:             nil,',
    '  \tVolumeAttributesClassName: nil,',
    '  }',
    '',
  ]);
});

test('a volume: its source', async () => {
  const volume = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
  const [lines = []] = await shown(
    'PersistentVolume',
    { ...volume, rbd: { monitors: ['m'], image: 'a' } },
    { ...volume, rbd: { monitors: ['m'], image: 'b' } },
  );
  assert.equal(lines, [
    '  core.PersistentVolumeSource{',
    '  \t... // 3 identical fields',
    '  \tGlusterfs: nil,',
    '  \tNFS:       nil,',
    '  \tRBD: &core.RBDPersistentVolumeSource{',
    '  \t\tCephMonitors: {"m"},',
    '- \t\tRBDImage:     "a",',
    '+ \t\tRBDImage:     "b",',
    '  \t\tFSType:       "",',
    '  \t\tRBDPool:      "rbd",',
    '  \t\t... // 4 identical fields',
    '  \t},',
    '  \tQuobyte: nil,',
    '  \tISCSI:   nil,',
    '  \t... // 14 identical fields',
    '  }',
    '',
  ]);
});

test('an ephemeral container', async () => {
  const kind = await loadKind('v1', 'Pod');
  const make = (image: string) =>
    decoded(kind, object('v1', 'Pod', { spec: { containers: [container], ephemeralContainers: [{ name: 'e', image }] } }));
  const [now, old] = [make('b'), make('a')];
  const context = ruleContext();
  const updating = { ...context, changeText: changeTextOf(kind, now, context) };
  const [found] = kind.rules.parts?.ephemeralcontainers?.validateUpdate(now, old, updating) ?? [];
  assert.equal(found?.message.split('\n').slice(0, 8), [
    'Forbidden: existing ephemeral containers "e" may not be changed',
    '  core.EphemeralContainer{',
    '  \tEphemeralContainerCommon: core.EphemeralContainerCommon{',
    '  \t\tName:    "e",',
    '- \t\tImage:   "a",',
    '+ \t\tImage:   "b",',
    '  \t\tCommand: nil,',
    '  \t\tArgs:    nil,',
  ]);
});

test('what is too large to be compared is named', async () => {
  const env = Array.from({ length: 30_000 }, (_, i) => ({ name: `E${i}`, value: 'v' }));
  const spec = { containers: [{ ...container, env }] };
  assert.equal(await shown('Pod', spec, { ...spec, hostname: 'h', nodeName: 'n' }), [['spec.nodeName, spec.hostname']]);
});

test.run();
