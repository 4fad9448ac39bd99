/** Assembles a node agent from its parts, starts it and stops it. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { Client } from '../client/resources/client.ts';
import { type Clock, PROCESS_CLOCK } from '../client/work-queue/clock.ts';
import type { Identity } from '../contract/identity.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type AgentConfiguration, refuse } from './configuration/read-configuration.ts';
import { milliseconds } from './contract/durations.ts';
import type { AgentContext, AgentEvents, AgentPart, ResourceSource, StartPart } from './contract/part.ts';
import { type NodeIdentity, nodeIdentity } from './identity/node-identity.ts';
import { type KernelRequirement, kernelRequirements, type NodeVersions, requirementEvents } from './node/kernel-requirements.ts';
import { diskOf, Machine } from './node/machine.ts';
import { nodeAddresses } from './node/node-addresses.ts';
import { NodeEvents } from './node/node-events.ts';
import { NodeLease } from './node/node-lease.ts';
import type { NodeRegistration } from './node/node-object.ts';
import { NodeReporter } from './node/node-reporter.ts';
import { type ReservedResources, readReserved, reservationFaults } from './node/node-resources.ts';
import { StatusSource } from './node/node-status.ts';
import { SystemFiles } from './node/system-files.ts';
import { PARTS } from './parts.ts';
import { AgentServer, serveHealth } from './server/agent-server.ts';
import { ownRoutes } from './server/own-routes.ts';

export interface AgentOptions {
  readonly read: AgentConfiguration;
  readonly identity: Identity;
  /** such as `v1.32.0` */
  readonly version: string;
  /** absolute paths */
  readonly rootDirectory: string;
  readonly certificateFolder: string;
  /** '' for none */
  readonly configurationFile: string;
  readonly bootstrapFile: string;
  readonly nodeName: string;
  readonly hostname: string;
  /** addresses given by flags; empty: they are found out */
  readonly addresses: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly hasExternalProvider: boolean;
  readonly proxyMode: string;
  readonly skipKernelVersionCheck: boolean;
  readonly metrics: Metrics;
  readonly log: Log;
  /** ends a start that waits for a certificate */
  readonly signal?: AbortSignal;
  /** where the machine is read, other parts, and times, for tests */
  readonly files?: SystemFiles;
  readonly parts?: readonly StartPart[];
  readonly clock?: Clock;
  readonly versions?: NodeVersions;
}

export interface RunningAgent {
  /** port that the agent listens on; undefined: it does not listen */
  readonly port: number | undefined;
  readonly requirements: readonly KernelRequirement[];
  /** Resolves when the node is registered; at once without an API server. */
  registered(): Promise<void>;
  stop(): Promise<void>;
}

const CGROUP_V1_REFUSED =
  '${nodeAgent} is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release';
const SWAP_REFUSED = 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false';
const NO_EVENTS: AgentEvents = { record: () => {} };

/** @throws Error that says what is wrong; FileError that names the file and the field */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { read, rootDirectory } = options;
  const { configuration } = read;
  mkdirSync(rootDirectory, { recursive: true, mode: 0o750 });
  const machine = new Machine(options.files ?? new SystemFiles(), () => diskOf(rootDirectory));
  const reserved = checkMachine(options, machine);
  const identity = await nodeIdentity({
    file: options.configurationFile,
    bootstrapFile: options.bootstrapFile,
    folder: options.certificateFolder,
    nodeName: options.nodeName,
    rotates: configuration.rotateCertificates === true,
    identity: options.identity,
    log: options.log,
    signal: options.signal ?? new AbortController().signal,
  });
  const agent = new Agent(options, machine, reserved, identity);
  try {
    await agent.start();
  } catch (error) {
    await agent.stop();
    throw error;
  }
  return agent;
}

/** @throws Error if the machine does not meet the configuration */
function checkMachine({ read, identity }: AgentOptions, machine: Machine): ReservedResources['reserved'] {
  const { configuration, origins } = read;
  if (configuration.failCgroupV1 && machine.facts.controlGroups === 1) throw new Error(identity.text(CGROUP_V1_REFUSED));
  if (configuration.failSwapOn && machine.facts.swaps) throw new Error(SWAP_REFUSED);
  const reserved = readReserved(configuration);
  refuse(reservationFaults(reserved, machine.facts, machine.disk()), origins);
  return reserved.reserved;
}

class Agent implements RunningAgent {
  readonly requirements: readonly KernelRequirement[];
  readonly #options: AgentOptions;
  readonly #machine: Machine;
  readonly #reserved: ReservedResources['reserved'];
  readonly #identity: NodeIdentity | undefined;
  readonly #client: Client | undefined;
  readonly #events: NodeEvents | undefined;
  readonly #versions: NodeVersions;
  readonly #parts: AgentPart[] = [];
  #server: AgentServer | undefined;
  #health: Server | undefined;
  #reporter: NodeReporter | undefined;
  #lease: NodeLease | undefined;

  constructor(options: AgentOptions, machine: Machine, reserved: ReservedResources['reserved'], nodeIdentity: NodeIdentity | undefined) {
    this.#options = options;
    this.#machine = machine;
    this.#reserved = reserved;
    this.#identity = nodeIdentity;
    const { identity, nodeName, log, read, proxyMode, skipKernelVersionCheck } = options;
    const { configuration, isEnabled } = read;
    const agentName = identity.names.nodeAgent as string;
    if (nodeIdentity !== undefined) {
      const userAgent = `${agentName}/${options.version}`;
      this.#client = new Client({ userAgent, ...nodeIdentity.connection }, { identity, fieldManager: agentName });
      this.#events = new NodeEvents({
        client: this.#client,
        nodeName,
        component: agentName,
        perSecond: configuration.eventRecordQPS ?? 0,
        burst: configuration.eventBurst ?? 0,
        log,
      });
    }
    this.#versions = options.versions ?? {
      kernel: machine.facts.kernelVersion,
      nft: undefined,
      controlGroups: machine.facts.controlGroups,
    };
    this.requirements = kernelRequirements({ configuration, featureEnabled: isEnabled, proxyMode, skipKernelVersionCheck }, this.#versions);
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  registered(): Promise<void> {
    return this.#reporter?.registered() ?? Promise.resolve();
  }

  async start(): Promise<void> {
    const { read, log, parts = PARTS } = this.#options;
    const context = this.#context();
    for (const start of parts) this.#parts.push(await start(context));
    const addresses = nodeAddresses(this.#options.addresses, this.#options.hostname, this.#options.files ?? new SystemFiles());
    if (read.configuration.enableServer)
      await this.#listen(addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address));
    const { healthzPort = 0, healthzBindAddress = '127.0.0.1' } = read.configuration;
    if (healthzPort > 0) this.#health = await serveHealth(healthzBindAddress, healthzPort);
    if (this.#client !== undefined) {
      this.#identity?.start(this.#client);
      this.#report(this.#client, addresses);
    }
    const found = requirementEvents(this.requirements, this.#versions);
    for (const each of [STARTING(this.#options.identity), ...found]) this.#events?.record(each);
    for (const { message } of found) log.warn({}, message);
  }

  /** Reports the end to the server, waits for requests under way, and ends everything. */
  async stop(): Promise<void> {
    await this.#lease?.stop();
    await this.#reporter?.stop();
    await this.#server?.stop();
    this.#health?.close();
    this.#health?.closeAllConnections();
    for (const part of this.#parts.reverse()) await part.stop();
    this.#parts.length = 0;
    await this.#identity?.stop();
    await this.#events?.stop();
    await this.#client?.close();
  }

  #context(): AgentContext {
    const { read, rootDirectory, nodeName, identity, log } = this.#options;
    return {
      configuration: read.configuration,
      isGiven: (field) => read.origins.has(field.split('.')),
      rootDirectory,
      nodeName,
      identity,
      featureEnabled: read.isEnabled,
      log,
      client: this.#client,
      events: this.#events ?? NO_EVENTS,
    };
  }

  async #listen(addresses: readonly string[]): Promise<void> {
    const { read, nodeName, hostname, identity, certificateFolder, metrics, log } = this.#options;
    mkdirSync(certificateFolder, { recursive: true, mode: 0o750 });
    this.#server = await AgentServer.start({
      configuration: read.configuration,
      featureEnabled: read.isEnabled,
      nodeName,
      hostname,
      addresses,
      identity,
      connection: this.#identity?.connection,
      client: this.#client,
      folder: certificateFolder,
      metrics,
      log,
      routes: [
        ...ownRoutes({ read, identity, metrics, requirements: this.requirements }),
        ...this.#parts.flatMap(({ routes = [] }) => routes),
      ],
    });
  }

  #report(client: Client, addresses: ReturnType<typeof nodeAddresses>): void {
    const { read, identity, version, nodeName, hostname, labels, hasExternalProvider, log, clock = PROCESS_CLOCK } = this.#options;
    const { configuration } = read;
    const sources = this.#parts.flatMap(({ resources }): ResourceSource[] => (resources === undefined ? [] : [resources]));
    const runtime = this.#parts.find((part) => part.runtime !== undefined)?.runtime;
    const source = new StatusSource({
      machine: this.#machine,
      configuration,
      identity,
      reserved: this.#reserved,
      addresses,
      version,
      port: this.port,
      sources,
      runtime,
    });
    const registration: NodeRegistration = {
      name: nodeName,
      hostname,
      identity,
      configuration,
      facts: this.#machine.facts,
      labels,
      hasExternalProvider,
    };
    const reporter = new NodeReporter({
      client,
      registration,
      registers: configuration.registerNode !== false,
      source,
      updateFrequency: milliseconds(configuration.nodeStatusUpdateFrequency),
      reportFrequency: milliseconds(configuration.nodeStatusReportFrequency),
      events: this.#events ?? NO_EVENTS,
      clock,
      log,
    });
    this.#reporter = reporter;
    for (const each of [...sources, ...(runtime === undefined ? [] : [runtime])]) each.onChange(() => reporter.soon());
    this.#lease = new NodeLease({
      client,
      identity,
      nodeName,
      durationSeconds: configuration.nodeLeaseDurationSeconds ?? 40,
      nodeUid: () => reporter.uid,
      clock,
      failed: (error) => log.warn({ err: error }, 'the lease of the node could not be renewed; it is tried again'),
    });
    reporter.start();
    reporter.registered().then(() => this.#lease?.start());
  }
}

const STARTING = ({ text }: Identity) => ({ type: 'Normal', reason: 'Starting', message: `Starting ${text('${nodeAgent}')}.` }) as const;
