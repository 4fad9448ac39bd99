/** What the kernel must be for what the configuration asks: every minimum of the specification, just below it and at it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isAtLeast,
  kernelRequirements,
  type NodeFeatures,
  type NodeVersions,
  requirementEvents,
} from '../../../runtime/node-agent/node/kernel-requirements.ts';
import { Machine } from '../../../runtime/node-agent/node/machine.ts';
import { SystemFiles } from '../../../runtime/node-agent/node/system-files.ts';

const features = (of: Partial<NodeFeatures> = {}): NodeFeatures => ({
  configuration: {},
  featureEnabled: () => false,
  proxyMode: '',
  skipKernelVersionCheck: false,
  ...of,
});
const versions = (of: Partial<NodeVersions> = {}): NodeVersions => ({ kernel: '6.1.0', nft: undefined, controlGroups: 2, ...of });

const minimums = suite('kernel minimums');
const NFT = { nft: '1.0.1' };
const rows: [feature: string, below: string, at: string, features: Partial<NodeFeatures>, versions?: Partial<NodeVersions>][] = [
  ['sysctl net.ipv4.ip_local_reserved_ports', '3.15.9', '3.16', {}],
  ['sysctl net.ipv4.tcp_keepalive_time', '4.4.302', '4.5', {}],
  ['sysctl net.ipv4.tcp_keepalive_intvl', '4.4.302', '4.5.0', {}],
  ['sysctl net.ipv4.tcp_keepalive_probes', '4.4', '4.5.7-generic', {}],
  ['sysctl net.ipv4.tcp_fin_timeout', '4.5.7', '4.6.0-1-amd64', {}],
  ['sysctl net.ipv4.vs.conn_reuse_mode', '4.0.9', '4.1', { proxyMode: 'ipvs' }],
  ['sysctl net.ipv4.vs.conn_reuse_mode', '4.0', '4.1.0', { configuration: { allowedUnsafeSysctls: ['net.ipv4.vs.*'] } }],
  ['proxy mode nftables', '5.12.19', '5.13', { proxyMode: 'nftables' }, NFT],
  ['proxy mode nftables', '5.3.18', '5.4.0', { proxyMode: 'nftables', skipKernelVersionCheck: true }, NFT],
  ['recursive read-only mounts', '5.11.22', '5.12', { featureEnabled: (gate) => gate === 'RecursiveReadOnlyMounts' }],
];
for (const [feature, below, at, asked, others] of rows)
  minimums(`${feature} with ${below} and with ${at}`, () => {
    const met = (kernel: string) => {
      const found = kernelRequirements(features(asked), versions({ kernel, ...others })).filter((each) => each.feature === feature);
      assert.ok(found.length > 0);
      return found.every(({ isMet }) => isMet);
    };
    assert.equal([met(below), met(at)], [false, true]);
  });
const nftRows: [nft: string | undefined, isMet: boolean][] = [
  [undefined, false],
  ['1.0.0', false],
  ['0.9.8', false],
  ['1.0.1', true],
  ['1.1', true],
];
for (const [nft, isMet] of nftRows)
  minimums(`proxy mode nftables with nft ${nft ?? 'missing'}`, () => {
    const found = kernelRequirements(features({ proxyMode: 'nftables' }), versions({ nft })).filter(({ needs }) => needs === 'nft 1.0.1');
    assert.equal(
      found.map((each) => each.isMet),
      [isMet],
    );
  });
minimums('are asked of what the configuration wants alone', () => {
  const named = kernelRequirements(features(), versions()).map(({ feature }) => feature);
  assert.is(named.length, 5);
  assert.ok(named.every((feature) => feature.startsWith('sysctl net.ipv4.')));
});
minimums('are told as events where they are not met', () => {
  const found = kernelRequirements(features(), versions({ kernel: '4.5' }));
  assert.equal(requirementEvents(found, { controlGroups: 2 }), [
    {
      type: 'Warning',
      reason: 'KernelRequirementNotMet',
      message: 'sysctl net.ipv4.tcp_fin_timeout needs kernel 4.6 or later; this node has 4.5',
    },
  ]);
  const [event] = requirementEvents([{ feature: 'proxy mode nftables', needs: 'nft 1.0.1', found: undefined, isMet: false }], {
    controlGroups: 2,
  });
  assert.is(event?.message, 'proxy mode nftables needs nft 1.0.1 or later; it is not there');
});
minimums('tell that control groups of version 1 are in maintenance, and of others nothing', () => {
  assert.equal(
    requirementEvents([], { controlGroups: 1 }).map(({ reason }) => reason),
    ['CgroupV1'],
  );
  assert.equal(requirementEvents([], { controlGroups: 2 }), []);
  assert.equal(requirementEvents([], { controlGroups: undefined }), []);
});
minimums('are found on the machine of the test', () => {
  const { kernelVersion } = new Machine(new SystemFiles(), () => undefined).facts;
  assert.match(kernelVersion, /^\d+\.\d+/);
  assert.ok(isAtLeast(kernelVersion, '2.6'));
});
const comparisons: [text: string, oldest: string, isAtLeast: boolean][] = [
  ['5.10.0-8-amd64', '5.9', true],
  ['5.9', '5.10', false],
  ['10.0', '5.13', true],
  ['v1.0.1', '1.0.1', true],
  ['unknown', '3.16', false],
];
for (const [text, oldest, expected] of comparisons)
  minimums(`hold ${text} against ${oldest}`, () => assert.is(isAtLeast(text, oldest), expected));
minimums.run();
