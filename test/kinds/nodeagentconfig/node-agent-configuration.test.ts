import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileError } from '../../../runtime/files/file-error.ts';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: '${nodeAgent}.config.${groupDomain}', kind: 'NodeAgentConfiguration' },
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
};
const invalid = (field: string, value: unknown, problem: string): string => `${field}: Invalid value: ${JSON.stringify(value)}: ${problem}`;
const gates = { GracefulNodeShutdown: false };

const configurations = fileSuite('configurations of the node agent', cases, [
  ['nothing', {}, []],
  ['ports', { port: 0, readOnlyPort: 10255, healthzPort: 0 }, []],
  [
    'numbers out of range',
    { port: 65_536, oomScoreAdj: -1001, iptablesDropBit: 32, kubeAPIBurst: -1 },
    [
      invalid('port', 65_536, 'must be between 1 and 65535, inclusive'),
      invalid('oomScoreAdj', -1001, 'must be between -1000 and 1000, inclusive'),
      invalid('kubeAPIBurst', -1, 'must be greater than or equal to 0'),
      invalid('iptablesDropBit', 32, 'must be between 0 and 31, inclusive'),
    ],
  ],
  [
    'images that are removed too soon',
    {
      imageGCLowThresholdPercent: 90,
      imageMinimumGCAge: '1h',
      imageMaximumGCAge: '30m',
      maxParallelImagePulls: 3,
      serializeImagePulls: true,
    },
    [
      invalid('imageGCLowThresholdPercent', 90, 'must be less than imageGCHighThresholdPercent 85'),
      invalid('imageMaximumGCAge', '30m0s', 'must be greater than imageMinimumGCAge 1h0m0s'),
      invalid('maxParallelImagePulls', 3, 'cannot be larger than 1 unless serializeImagePulls is false'),
    ],
  ],
  [
    'choices that there are not',
    { topologyManagerPolicy: 'close', hairpinMode: 'x', logging: { format: 'xml' }, runOnce: true },
    [
      'topologyManagerPolicy: Unsupported value: "close": supported values: "none", "best-effort", "restricted", "single-numa-node"',
      'hairpinMode: Unsupported value: "x": supported values: "hairpin-veth", "none", "promiscuous-bridge"',
      'logging.format: Unsupported value: "xml": supported values: "json", "text"',
      invalid('runOnce', true, 'Runonce mode has been deprecated and should not be set'),
    ],
  ],
  [
    'reservations that contradict each other',
    { enforceNodeAllocatable: ['none', 'pods', 'kube-reserved'], cgroupsPerQOS: false, systemCgroups: '/s' },
    [
      invalid('enforceNodeAllocatable', 'none', 'may not contain other enforcements when none is specified'),
      invalid('enforceNodeAllocatable', 'pods', 'cgroupsPerQOS must be set to true'),
      invalid('enforceNodeAllocatable', 'kube-reserved', 'kubeReservedCgroup must be specified'),
      invalid('systemCgroups', '/s', 'cgroupRoot must be specified with it'),
    ],
  ],
  ['a shutdown in two parts', { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' }, []],
  [
    'a shutdown of parts that do not fit',
    {
      shutdownGracePeriod: '10s',
      shutdownGracePeriodCriticalPods: '20s',
      shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 2 }],
    },
    [
      invalid('shutdownGracePeriodCriticalPods', '20s', 'must be <= shutdownGracePeriod 10s'),
      'shutdownGracePeriodByPodPriority: Forbidden: cannot be specified together with shutdownGracePeriod',
    ],
  ],
  [
    'a shutdown without its gate',
    { featureGates: gates, shutdownGracePeriod: '1ms' },
    [
      invalid('shutdownGracePeriod', '1ms', 'must be either zero or otherwise >= 1 sec'),
      'shutdownGracePeriod: Forbidden: requires feature gate GracefulNodeShutdown',
    ],
  ],
  [
    'a period behind a gate',
    { cpuCFSQuotaPeriod: '10ms' },
    ['cpuCFSQuotaPeriod: Forbidden: requires feature gate CustomCPUCFSQuotaPeriod'],
  ],
  ['a period with its gate', { cpuCFSQuotaPeriod: '10ms', featureGates: { CustomCPUCFSQuotaPeriod: true } }, []],
  [
    'logs and memory out of range',
    { containerLogMaxFiles: 1, containerLogMonitorInterval: '2s', memoryThrottlingFactor: 1.5 },
    [
      invalid('containerLogMaxFiles', 1, 'must be greater than 1'),
      invalid('containerLogMonitorInterval', '2s', 'must be a positive time duration greater than or equal to 3s'),
      invalid('memoryThrottlingFactor', 1.5, 'must be greater than 0 and less than or equal to 1.0'),
    ],
  ],
  [
    'taints that there are not',
    { registerWithTaints: [{ key: 'a', effect: 'Stay', timeAdded: '2026-01-01T00:00:00Z' }] },
    [
      'registerWithTaints[0].effect: Unsupported value: "Stay": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"',
      'registerWithTaints[0].timeAdded: Forbidden: a node does not say since when it has a taint',
    ],
  ],
]);
const defaultsOf = async (members: object) => (await cases.kinds.parse(fileText(cases, members), 'file', cases.name)).object;
configurations('have defaults', async () => {
  const { port, authentication, nodeStatusReportFrequency, nodeStatusUpdateFrequency, evictionHard, contentType, podPidsLimit } =
    await defaultsOf({});
  assert.is(port, 10_250);
  assert.equal(authentication, { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } });
  assert.equal([nodeStatusUpdateFrequency, nodeStatusReportFrequency], ['10s', '5m0s']);
  assert.is(evictionHard['memory.available'], '100Mi');
  assert.is(contentType, 'application/vnd.kubernetes.protobuf');
  assert.is(podPidsLimit, -1);
});
configurations('have defaults that depend on other members', async () => {
  const { nodeStatusReportFrequency, serializeImagePulls, podPidsLimit, syncFrequency } = await defaultsOf({
    nodeStatusUpdateFrequency: '30s',
    maxParallelImagePulls: 5,
    podPidsLimit: -7,
    syncFrequency: '0s',
  });
  assert.equal([nodeStatusReportFrequency, serializeImagePulls, podPidsLimit, syncFrequency], ['30s', false, -1, '1m0s']);
});
configurations('have a name of their own in the other dialect', async () => {
  const other = { ...cases, apiVersion: 'node-agent.config.cluster.io/v1beta1', kind: 'NodeAgentConfiguration' };
  assert.equal(await problemsOf(fileKinds('cluster'), fileText(other, {}), cases.name), []);
  assert.is((await problemsOf(fileKinds('cluster'), fileText(cases, {}), cases.name)).length, 1);
  assert.is((await defaultsOf({})).kind, 'KubeletConfiguration');
});
configurations.run();

const folder = mkdtempSync(path.join(tmpdir(), 'node-agent-'));
const main = path.join(folder, 'main.yaml');
const dropIns = path.join(folder, 'main.d');
const merging = suite('configurations in parts');
merging.before(() => {
  mkdirSync(path.join(dropIns, '50'), { recursive: true });
});
merging.after(() => rmSync(folder, { recursive: true }));
const dropIn = (name: string, members: object): void => writeFileSync(path.join(dropIns, name), fileText(cases, members));

merging('are merged in the order of their names', async () => {
  const staticPodURLHeader = { A: ['1', '2'], B: ['3'] };
  writeFileSync(
    main,
    fileText(cases, {
      port: 1,
      clusterDNS: ['10.0.0.1', '10.0.0.2'],
      staticPodURLHeader,
      authentication: { webhook: { cacheTTL: '1m' } },
      maxPods: 5,
    }),
  );
  dropIn('20.conf', { port: 3, clusterDNS: ['10.0.0.3'] });
  dropIn('10.conf', { port: 2, staticPodURLHeader: { A: ['4'], C: ['5'] }, authentication: { anonymous: { enabled: true } } });
  dropIn('50/x.conf', { evictionHard: { 'memory.available': '1Gi' } });
  writeFileSync(path.join(dropIns, '99.yaml'), 'not looked at');
  const { object } = await cases.kinds.readMerged({ file: main, folder: dropIns }, cases.name);
  assert.is(object.port, 3);
  assert.equal(object.clusterDNS, ['10.0.0.3']);
  assert.equal(object.staticPodURLHeader, { A: ['4'], B: ['3'], C: ['5'] });
  assert.equal(object.authentication.webhook, { enabled: true, cacheTTL: '1m0s' });
  assert.is(object.authentication.anonymous.enabled, true);
  assert.is(object.maxPods, 5);
  assert.is(object.evictionHard['memory.available'], '1Gi');
  assert.is(object.evictionHard['nodefs.available'], '10%');
});
merging('may be of one part alone', async () => {
  assert.is((await cases.kinds.readMerged({ folder: dropIns }, cases.name)).object.port, 3);
  assert.is((await cases.kinds.readMerged({ file: main }, cases.name)).object.port, 1);
  assert.is((await cases.kinds.readMerged({}, cases.name)).object.port, 10_250);
});
merging('say which part is wrong', async () => {
  const failure = (): Promise<FileError> =>
    cases.kinds.readMerged({ file: main, folder: dropIns }, cases.name).then(
      () => assert.unreachable() as never,
      (error: FileError) => error,
    );
  dropIn('30.conf', { maxPods: -1 });
  const invalidParts = await failure();
  assert.instance(invalidParts, FileError);
  assert.is(invalidParts.source, path.join(dropIns, '30.conf'));
  assert.equal(invalidParts.problems, [invalid('maxPods', -1, 'must be greater than or equal to 0')]);
  writeFileSync(path.join(dropIns, '30.conf'), 'maxPods: 3');
  assert.match((await failure()).message, /30\.conf: apiVersion: Required value, kind: Required value/);
  dropIn('30.conf', { maxPods: 'many' });
  assert.match((await failure()).message, /30\.conf: .*maxPods of type int32/);
  rmSync(path.join(dropIns, '30.conf'));
});
merging('are refused where there is no folder', async () => {
  await cases.kinds.readMerged({ file: main, folder: path.join(folder, 'none') }, cases.name).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /there is no such file or folder/),
  );
});
merging.run();
