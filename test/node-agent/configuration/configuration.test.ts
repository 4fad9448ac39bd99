/** What comes out of files and flags, where each value comes from, and what is said of what is wrong. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { nodeAgentFlagsData } from '../../../generated/node-agent-flags.ts';
import { FileError } from '../../../runtime/files/file-error.ts';
import { flagOverrides } from '../../../runtime/node-agent/configuration/flag-overrides.ts';
import { printConfiguration } from '../../../runtime/node-agent/configuration/print-configuration.ts';
import type { FlagData } from '../../../runtime/server/flags/flag-data.ts';
import { parseFlagValue } from '../../../runtime/server/flags/flag-values.ts';
import { dropIn, read, type Settings, settings, settingsFiles } from '../settings.ts';

interface Schemas {
  readonly components: { readonly schemas: { readonly NodeAgentConfiguration: { readonly properties: object } } };
}

const flags = suite('flags of the agent');
const rows: [flag: string, field: string, value: unknown][] = [
  ['--port=9', 'port', 9],
  ['--cluster-dns=10.0.0.1,10.0.0.2', 'clusterDNS', ['10.0.0.1', '10.0.0.2']],
  ['--sync-frequency=90s', 'syncFrequency', '1m30s'],
  ['--kube-reserved=cpu=200m,memory=1Gi', 'kubeReserved', { cpu: '200m', memory: '1Gi' }],
  ['--eviction-hard=memory.available<1Gi, nodefs.available<5%,', 'evictionHard', { 'memory.available': '1Gi', 'nodefs.available': '5%' }],
  ['--register-with-taints=a=b:NoSchedule', 'registerWithTaints', [{ key: 'a', value: 'b', effect: 'NoSchedule' }]],
  ['--manifest-url-header=A:1', 'staticPodURLHeader', { A: ['1'] }],
  ['--seccomp-default', 'seccompDefault', true],
  ['--feature-gates=NodeSwap=false', 'featureGates', { NodeSwap: false }],
];
for (const [flag, field, value] of rows)
  flags(`${flag} counts before the file`, async () => {
    const { configuration, origins } = await settings({ main: { port: 1 }, flags: [flag] });
    const found = (configuration as unknown as Record<string, unknown>)[field];
    assert.equal(JSON.parse(JSON.stringify(found)), value);
    const path = typeof value === 'object' && field === 'featureGates' ? [field, 'NodeSwap'] : [field];
    assert.is(origins.of(path), flag.split('=')[0]);
  });
flags('that set maps replace them, but for gates, of which each counts', async () => {
  const main = { evictionHard: { 'pid.available': '5%' }, featureGates: { NodeSwap: false, ContainerCheckpoint: false } };
  const given = ['--eviction-hard=memory.available<1Gi', '--feature-gates=ContainerCheckpoint=true'];
  const { configuration, isEnabled } = await settings({ main, flags: given });
  assert.equal(configuration.evictionHard, { 'memory.available': '1Gi' });
  assert.equal([isEnabled('NodeSwap'), isEnabled('ContainerCheckpoint')], [false, true]);
});
/** Named in the source, and yet without effect: other things have that name. */
const NAMED: ReadonlySet<string> = new Set(['kube-api-content-type', 'manifest-url-header']);
flags('are called effective when the agent reads what they set, and only then', () => {
  const source = globSync('runtime/{node-agent/**/*.ts,main/node-agent.ts}')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const isRead = ({ name, field }: FlagData): boolean =>
    field === undefined
      ? new RegExp(`values\\.${name}\\b|'${name}'`).test(source)
      : !NAMED.has(name) && new RegExp(`\\b${field.split('.').at(-1)}\\b`).test(source);
  const misstated = (nodeAgentFlagsData.flags as readonly FlagData[]).filter((flag) => isRead(flag) !== (flag.status === 'effective'));
  assert.equal(
    misstated.map(({ name, status }) => `${name} is not ${status}`),
    [],
  );
});
flags('set members that the configuration has', () => {
  const { properties } = (parse(readFileSync('schemas/nodeagentconfig/v1beta1/openapi.yaml', 'utf8')) as Schemas).components.schemas
    .NodeAgentConfiguration;
  for (const { name, field } of nodeAgentFlagsData.flags as readonly FlagData[])
    if (field !== undefined) assert.ok(Object.hasOwn(properties, field.split('.')[0] as string), `${name} sets ${field}`);
});
const wrong: [argument: string, message: RegExp][] = [
  ['--eviction-hard=memory.available', /SIGNAL<QUANTITY is expected/],
  ['--register-with-taints=a=b', /KEY=VALUE:EFFECT is expected/],
  ['--register-with-taints==b:NoSchedule', /KEY=VALUE:EFFECT is expected/],
  ['--feature-gates=NodeSwap=maybe', /true or false is expected/],
];
for (const [argument, message] of wrong)
  flags(`${argument} is refused`, () => {
    const [name = '', ...rest] = argument.slice(2).split('=');
    const flag = (nodeAgentFlagsData.flags as readonly FlagData[]).find((each) => each.name === name) as FlagData;
    const values = { [name]: parseFlagValue(flag, [rest.join('=')]) };
    assert.throws(() => flagOverrides(nodeAgentFlagsData, values, new Set([name])), message);
  });
flags.run();

const origins = suite('the printed configuration');
origins('is a configuration again, with the origin of each value behind it', async () => {
  const of: Settings = {
    main: { port: 1, maxPods: 5, clusterDNS: ['10.0.0.1'], evictionHard: { 'memory.available': '1Gi' } },
    dropIns: { '10.conf': dropIn({ maxPods: 6, authentication: { anonymous: { enabled: true } } }) },
    flags: ['--port=2'],
  };
  const files = settingsFiles(of);
  const { configuration, origins: from } = await read(of, files);
  const text = printConfiguration(configuration, from);
  const first = path.join(files.folder as string, '10.conf');
  for (const line of [
    'port: 2 # --port',
    `maxPods: 6 # ${first}`,
    `clusterDNS: # ${files.file}\n- 10.0.0.1`,
    `  memory.available: 1Gi # ${files.file}`,
    `    enabled: true # ${first}`,
    'syncFrequency: 1m0s # default',
  ])
    assert.ok(text.includes(`\n${line}\n`), `${line} in\n${text}`);
  const again = await settings({ main: parse(text) });
  assert.equal(again.configuration, configuration);
});
origins('tells which files were skipped', async () => {
  const of = { dropIns: { '10.conf': dropIn({ port: 3 }), 'README.md': 'x', '20.yaml': 'y' } };
  const files = settingsFiles(of);
  const { warnings } = await read(of, files);
  const skipped = ['20.yaml', 'README.md'].map(
    (name) => `${path.join(files.folder as string, name)} is skipped: its name does not end in .conf`,
  );
  assert.equal(warnings, skipped);
});
origins.run();

const faults = suite('a configuration is refused');
const refused: [name: string, settings: Settings, problem: RegExp][] = [
  ['for a fault of a drop-in file', { main: {}, dropIns: { '1.conf': dropIn({ maxPods: -1 }) } }, /1\.conf: maxPods: Invalid value: -1/],
  ['for a fault of a flag', { flags: ['--hairpin-mode=loop'] }, /--hairpin-mode: hairpinMode: /],
  [
    'for faults of several files, each with its own',
    { main: { registryBurst: -1 }, dropIns: { '1.conf': dropIn({ maxPods: -1 }) } },
    /main\.yaml: registryBurst: .*\n.*1\.conf: maxPods: |1\.conf: maxPods: .*\n.*main\.yaml: registryBurst: /,
  ],
  [
    'for several files that cannot be read, each with its own fault',
    { dropIns: { '1.conf': 'a: [', '2.conf': dropIn({}).replace('v1beta1', 'v1') } },
    /1\.conf: .*\n.*2\.conf: unknown apiVersion\/kind: kubelet\.config\.k8s\.io\/v1, Kind=KubeletConfiguration/,
  ],
  ['for a value of a wrong type', { dropIns: { '1.conf': dropIn({ port: 'many' }) } }, /1\.conf: .*port of type int32/],
  ['for a member of a wrong type in a flag', { flags: ['--cpu-cfs-quota-period=2h'] }, /--cpu-cfs-quota-period: cpuCFSQuotaPeriod: /],
  [
    'for a gate that nobody knows',
    { main: { featureGates: { Nope: true } } },
    /main\.yaml: featureGates\[Nope\]: unrecognized feature gate: Nope/,
  ],
  [
    'for a gate that is locked',
    { flags: ['--feature-gates=AppArmor=false'] },
    /--feature-gates: featureGates\[AppArmor\]: cannot set feature gate AppArmor to false, feature is locked to true/,
  ],
  [
    'for a signal that is none',
    { main: { evictionHard: { 'disk.available': '1Gi' } } },
    /evictionHard\[disk\.available\]: unsupported eviction signal disk\.available/,
  ],
  ['for a threshold that is none', { main: { evictionHard: { 'memory.available': '-1Gi' } } }, /eviction threshold must be positive: -1Gi/],
  ['for a percentage above all', { main: { evictionHard: { 'memory.available': '101%' } } }, /must be <= 100%: 101%/],
  [
    'for a soft threshold without a grace period',
    { main: { evictionSoft: { 'memory.available': '1Gi' } } },
    /grace period must be specified for the soft eviction threshold memory\.available/,
  ],
  [
    'for a reservation of what cannot be reserved',
    { main: { systemReserved: { gpu: '1' } } },
    /systemReserved\[gpu\]: cannot reserve "gpu" resource/,
  ],
  [
    'for a negative reservation',
    { flags: ['--system-reserved=cpu=-1'] },
    /--system-reserved: systemReserved\[cpu\]: resource quantity for "cpu" cannot be negative: -1/,
  ],
  ['for processors that are none', { main: { reservedSystemCPUs: '2-1' } }, /reservedSystemCPUs: "2-1" is no list of processors/],
];
for (const [name, of, problem] of refused)
  faults(name, async () => {
    const error = await settings(of).then(
      () => assert.unreachable() as never,
      (reason: Error) => reason,
    );
    assert.instance(error, FileError);
    assert.match(error.message, problem);
  });
faults('warns of gates that go', async () => {
  const { warnings } = await settings({ main: { featureGates: { AppArmor: true } } });
  assert.equal(warnings, ['Setting GA feature gate AppArmor=true. It will be removed in a future release. It is non-operational.']);
});
faults('warns of members that are not known, and goes on', async () => {
  const { warnings, configuration } = await settings({ dropIns: { '1.conf': dropIn({ porrt: 1, port: 2 }) } });
  assert.is(configuration.port, 2);
  assert.match(warnings.join(), /1\.conf: .*porrt/);
});
faults.run();
