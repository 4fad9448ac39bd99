/** `cluster-node-agent`: from flags to an agent that reports its node, and down again. */
import { spawnSync } from 'node:child_process';
import { hostname as systemHostname } from 'node:os';
import path from 'node:path';
import { featureGates } from '../../generated/feature-gates.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { metricsData } from '../../generated/metrics.ts';
import { nodeAgentFlagsData } from '../../generated/node-agent-flags.ts';
import { currentRelease } from '../../generated/releases.ts';
import { createFileKinds } from '../assembly/setup/file-kinds.ts';
import { createIdentity, type Identity } from '../contract/identity.ts';
import { dnsSubdomain } from '../formats/names.ts';
import { startAgent } from '../node-agent/agent.ts';
import { defaultText, flagOverrides } from '../node-agent/configuration/flag-overrides.ts';
import { printConfiguration } from '../node-agent/configuration/print-configuration.ts';
import { type AgentConfiguration, readConfiguration } from '../node-agent/configuration/read-configuration.ts';
import { Machine } from '../node-agent/node/machine.ts';
import { givenAddresses } from '../node-agent/node/node-addresses.ts';
import { checkLabels } from '../node-agent/node/node-object.ts';
import { SystemFiles } from '../node-agent/node/system-files.ts';
import { Metrics } from '../observability/metrics.ts';
import { type ChosenGates, chooseGates, describeGates } from '../registry/resources/feature-gates.ts';
import { type FlagData, FlagError, type FlagsData } from '../server/flags/flag-data.ts';
import { type ParsedFlags, parseFlags } from '../server/flags/flags.ts';
import { flagsHelp } from '../server/flags/flags-help.ts';
import { createLog } from '../server/log/log.ts';
import { PROGRAM_VERSION } from '../server/program-version.ts';
import { keepDebuggerOff } from './debugger-off.ts';

const PROGRAM = 'cluster-node-agent';
const SUMMARY =
  'Speaks for a machine in a cluster: registers its node, says that it lives and how it is, tells what the container runtime of the machine has, and makes ' +
  'checkpoints of containers. It runs no pods: the scheduler may place some on the node, and nothing starts them.';
const RELEASES = { release: currentRelease, current: currentRelease };

type Parsed = ParsedFlags<typeof nodeAgentFlagsData>;

/** Exit codes: 0 after a clean end, 1 for anything that stops a start, 2 for flags that are wrong. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    // which one it is depends on no default that they differ in
    const { values } = parseFlags(argv, nodeAgentFlagsData, createIdentity(identityData, 'cluster'));
    const identity = createIdentity(identityData, values.dialect);
    const parsed = parseFlags(argv, nodeAgentFlagsData, identity);
    if (values.help) return await printHelp(identity);
    if (values.version) return void process.stdout.write(`${PROGRAM} ${PROGRAM_VERSION} (release ${currentRelease})\n`);
    const read = await configurationOf(parsed, identity);
    if (values['print-config']) return print(read);
    await run(parsed, read, identity);
  } catch (error) {
    process.stderr.write(`${PROGRAM}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof FlagError ? 2 : 1;
  }
}

/** Defaults are those of the configuration. */
async function printHelp(identity: Identity): Promise<void> {
  const { configuration } = await configurationOf(parseFlags([], nodeAgentFlagsData, identity), identity);
  const flags = nodeAgentFlagsData.flags.map((flag: FlagData) => ({ ...flag, default: flag.default ?? defaultText(configuration, flag) }));
  const gates = describeGates(featureGates, currentRelease).map((line) => line.replace(/^\w+:/, ''));
  process.stdout.write(
    flagsHelp(PROGRAM, SUMMARY, { ...nodeAgentFlagsData, flags } as FlagsData, identity, { options: { 'feature-gates': gates } }),
  );
}

/** What was skipped is told beside it. */
function print({ configuration, origins, warnings }: AgentConfiguration): void {
  process.stdout.write(printConfiguration(configuration, origins));
  for (const warning of warnings) process.stderr.write(`${PROGRAM}: ${warning}\n`);
}

/** @throws FlagError, FileError */
async function configurationOf({ values, given }: Parsed, identity: Identity): Promise<AgentConfiguration> {
  const choose = (gates: ReadonlyMap<string, string>): ChosenGates => chooseGates(featureGates, gates, RELEASES);
  const kinds = createFileKinds(identity, choose(new Map()).isEnabled);
  const places = {
    file: values.config || undefined,
    folder: values['config-dir'] || undefined,
    overrides: flagOverrides(nodeAgentFlagsData, values, given),
  };
  return readConfiguration(kinds, places, choose);
}

async function run({ values, warnings }: Parsed, read: AgentConfiguration, identity: Identity): Promise<void> {
  const { format, verbosity, vmodule = [] } = read.configuration.logging ?? {};
  const modules = vmodule.map(({ filePattern, verbosity }) => ({ pattern: filePattern, verbosity }));
  const log = createLog({ format: format === 'json' ? 'json' : 'text', verbosity: verbosity ?? 0, modules });
  for (const warning of [...warnings, ...read.warnings]) log.warn({}, warning);
  const rootDirectory = path.resolve(identity.text(values['root-dir']));
  const hostname = hostnameOf(values['hostname-override']);
  checkLabels(values['node-labels'], identity);
  const ending = new AbortController();
  keepDebuggerOff(log);
  const stopping = endOnSignals(ending);
  const agent = await startAgent({
    read,
    identity,
    version: `v${currentRelease}.0`,
    rootDirectory,
    certificateFolder: path.resolve(values['cert-dir'] || path.join(rootDirectory, 'pki')),
    configurationFile: absolute(values.kubeconfig),
    bootstrapFile: absolute(values['bootstrap-kubeconfig']),
    nodeName: hostname,
    hostname,
    addresses: givenAddresses(values['node-ip']),
    labels: values['node-labels'],
    hasExternalProvider: values['cloud-provider'] === 'external',
    proxyMode: values['proxy-mode'],
    skipKernelVersionCheck: values['skip-kernel-version-check'],
    metrics: new Metrics(metricsData),
    log,
    signal: ending.signal,
    versions: versionsOf(values['proxy-mode']),
  });
  // an agent that is alone and does not listen runs on as well
  const keepsRunning = setInterval(() => {}, 2 ** 30);
  const where = agent.port === undefined ? '' : `, listening on port ${agent.port}`;
  agent.registered().then(() => process.stdout.write(`${PROGRAM} speaks for node ${hostname}${where}\n`));
  await stopping;
  await agent.stop();
  clearInterval(keepsRunning);
}

const absolute = (file: string): string => (file === '' ? '' : path.resolve(file));

/** @throws FlagError for what is no name of a node */
function hostnameOf(override: string): string {
  const name = (override || systemHostname()).trim().toLowerCase();
  const [problem] = dnsSubdomain(name);
  if (problem !== undefined) throw new FlagError(`--hostname-override: ${JSON.stringify(name)} is no name of a node: ${problem}`);
  return name;
}

/** The program `nft` is asked only where it is needed. */
function versionsOf(proxyMode: string) {
  const { kernelVersion, controlGroups } = new Machine(new SystemFiles(), () => undefined).facts;
  const { stdout = '' } = proxyMode === 'nftables' ? spawnSync('nft', ['--version'], { encoding: 'utf8', timeout: 5_000 }) : {};
  const [, nft] = /v(\d+(?:\.\d+)*)/.exec(stdout ?? '') ?? [];
  return { kernel: kernelVersion, nft, controlGroups };
}

/** Resolves with the first signal; a second one ends the process at once. */
function endOnSignals(ending: AbortController): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    if (ending.signal.aborted) process.exit(1);
    ending.abort(new Error('the agent is ending'));
    resolve();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return promise;
}
