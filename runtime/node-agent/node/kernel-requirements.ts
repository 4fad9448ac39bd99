/** Compares what features of the node need with the kernel and the programs of the machine (specification: Limits, the service minimums for node features). */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Occurrence } from '../contract/part.ts';

/** The configuration that determines which features the node uses. */
export interface NodeFeatures {
  readonly configuration: Pick<NodeAgentConfiguration, 'allowedUnsafeSysctls'>;
  readonly featureEnabled: (gate: string) => boolean;
  /** the mode of the service proxy on this node, such as `nftables`; empty if it is not known */
  readonly proxyMode: string;
  /** whether a kernel from 5.4 on suffices for the mode `nftables`, instead of one from 5.13 on */
  readonly skipKernelVersionCheck: boolean;
}

export interface NodeVersions {
  /** the version of the kernel, such as `6.1.0-18-amd64` */
  readonly kernel: string;
  /** the version of the program `nft`; undefined if the machine does not have it */
  readonly nft: string | undefined;
  /** the version of control groups; undefined if there are none */
  readonly controlGroups: 1 | 2 | undefined;
}

export interface KernelRequirement {
  /** the feature that has the requirement, such as `sysctl net.ipv4.tcp_fin_timeout` */
  readonly feature: string;
  /** the thing that it needs and its oldest sufficient version, such as `kernel 4.6` */
  readonly needs: string;
  /** the version that the machine has; undefined if it does not have the thing at all */
  readonly found: string | undefined;
  readonly isMet: boolean;
}

/** Sysctls that 1.32 allows to pods on every node, each with the first kernel that has a separate value of it in each network namespace. */
const SAFE_SYSCTLS: readonly (readonly [name: string, kernel: string])[] = [
  ['net.ipv4.ip_local_reserved_ports', '3.16'],
  ['net.ipv4.tcp_keepalive_time', '4.5'],
  ['net.ipv4.tcp_keepalive_intvl', '4.5'],
  ['net.ipv4.tcp_keepalive_probes', '4.5'],
  ['net.ipv4.tcp_fin_timeout', '4.6'],
];
const CONN_REUSE_MODE = 'net.ipv4.vs.conn_reuse_mode';
const CONN_REUSE_KERNEL = '4.1';
const NFTABLES_KERNEL = '5.13';
const NFTABLES_OLDEST = '5.4';
const NFT = '1.0.1';
const MOUNT_SETATTR = '5.12';
const RECURSIVE_MOUNTS = 'RecursiveReadOnlyMounts';

/** Lists the requirements of all features that the node uses, those that are met and those that are not. */
export function kernelRequirements(features: NodeFeatures, versions: NodeVersions): KernelRequirement[] {
  const { allowedUnsafeSysctls: unsafe = [] } = features.configuration;
  const kernel = (feature: string, oldest: string): KernelRequirement => ({
    feature,
    needs: `kernel ${oldest}`,
    found: versions.kernel,
    isMet: isAtLeast(versions.kernel, oldest),
  });
  const usesIpvs = features.proxyMode === 'ipvs';
  return [
    ...SAFE_SYSCTLS.map(([name, oldest]) => kernel(`sysctl ${name}`, oldest)),
    ...(usesIpvs || unsafe.some((pattern) => matches(pattern, CONN_REUSE_MODE))
      ? [kernel(`sysctl ${CONN_REUSE_MODE}`, CONN_REUSE_KERNEL)]
      : []),
    ...(features.proxyMode === 'nftables' ? nftables(kernel, features, versions) : []),
    ...(features.featureEnabled(RECURSIVE_MOUNTS) ? [kernel('recursive read-only mounts', MOUNT_SETATTR)] : []),
  ];
}

function nftables(
  kernel: (feature: string, oldest: string) => KernelRequirement,
  { skipKernelVersionCheck }: NodeFeatures,
  { nft }: NodeVersions,
): KernelRequirement[] {
  const feature = 'proxy mode nftables';
  return [
    kernel(feature, skipKernelVersionCheck ? NFTABLES_OLDEST : NFTABLES_KERNEL),
    { feature, needs: `nft ${NFT}`, found: nft, isMet: nft !== undefined && isAtLeast(nft, NFT) },
  ];
}

/** Tells whether a pattern, as `allowedUnsafeSysctls` has it, covers a sysctl. A pattern is a name, or the beginning of names followed by `*`. */
function matches(pattern: string, name: string): boolean {
  const plain = pattern.replaceAll('/', '.');
  return plain.endsWith('*') ? name.startsWith(plain.slice(0, -1)) : plain === name;
}

/** Makes the events that tell users of the cluster which requirements are not met, and that the node has control groups of version 1. */
export function requirementEvents(
  requirements: readonly KernelRequirement[],
  { controlGroups }: Pick<NodeVersions, 'controlGroups'>,
): Occurrence[] {
  const missing = requirements
    .filter(({ isMet }) => !isMet)
    .map(
      ({ feature, needs, found }): Occurrence => ({
        type: 'Warning',
        reason: 'KernelRequirementNotMet',
        message: `${feature} needs ${needs} or later; ${found === undefined ? 'it is not there' : `this node has ${found}`}`,
      }),
    );
  return [...missing, ...(controlGroups === 1 ? [CGROUP_V1] : [])];
}

const CGROUP_V1: Occurrence = {
  type: 'Warning',
  reason: 'CgroupV1',
  message: 'cgroup v1 support has been transitioned into maintenance mode, please plan for the migration towards cgroup v2.',
};

/**
 * Tells whether a version is a given one or a later one.
 * @param text begins with the version, such as `5.10.0-8-amd64`; a text without one counts as version 0
 */
export function isAtLeast(text: string, oldest: string): boolean {
  const [found, wanted] = [text, oldest].map(numbersOf) as [number[], number[]];
  for (const [index, number] of wanted.entries()) {
    const difference = (found[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(text: string): number[] {
  return (/^v?(\d+(?:\.\d+)*)/.exec(text)?.[1] ?? '').split('.').map(Number);
}
