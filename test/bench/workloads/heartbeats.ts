/**
 * What the server takes for node agents that only say that they live: each renews its lease every ten seconds, looks at its node as often, reports it every five minutes and
 * follows what others say of it, over a connection of its own. All of them run in this process, as the agent itself does it: for a minute of the machine's time, and for
 * an hour of their own that passes as fast as the server takes it. What the server does by its own clock is measured while the agents are silent, and counted for the whole hour.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../generated/client/index.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Clock } from '../../../runtime/client/work-queue/clock.ts';
import { createIdentity, type Dialect, type Identity } from '../../../runtime/contract/identity.ts';
import { Machine } from '../../../runtime/node-agent/node/machine.ts';
import { NodeLease } from '../../../runtime/node-agent/node/node-lease.ts';
import { NodeReporter } from '../../../runtime/node-agent/node/node-reporter.ts';
import { StatusSource } from '../../../runtime/node-agent/node/node-status.ts';
import { SystemFiles } from '../../../runtime/node-agent/node/system-files.ts';
import { AgentClock } from '../agent-clock.ts';
import { type Bench, request, withProcessorTime } from '../bench.ts';
import { processFigures } from '../process-figures.ts';
import type { Target } from '../target.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Milliseconds within which all of them start. */
const START = 20 * SECOND;
/** Milliseconds of quiet before they are measured. */
const SETTLE = 15 * SECOND;
/** Milliseconds of silence in which the server does what it does anyway. */
const SILENCE = 20 * SECOND;
/** All nodes are reported every five minutes; here one in five is every minute, so that each minute has as many reports as any other. */
const REPORTING = 5;
/** Rounds that an agent has: of its lease, and of its node. */
const ROUNDS = 2;

const CONFIGURATION = {
  maxPods: 110,
  nodeLeaseDurationSeconds: 40,
  evictionPressureTransitionPeriod: '5m0s',
  enableControllerAttachDetach: true,
} as NodeAgentConfiguration;

interface Agent {
  stop(): Promise<void>;
}

export async function measureHeartbeats(bench: Bench): Promise<void> {
  const { target, options, groupDomain, progress } = bench;
  const identity = createIdentity(identityData, groupDomain === 'k8s.io' ? 'kubernetes' : 'cluster');
  const failures: unknown[] = [];
  const agents: Agent[] = [];
  const clock = new AgentClock();
  let stopClock = clock.run();
  try {
    progress(`heartbeats: ${options.agents} agents start`);
    await Promise.all(
      Array.from({ length: options.agents }, async (_, index) => {
        await sleep((START * index) / options.agents);
        agents.push(await startAgent({ target, identity, clock, index, failed: (error) => failures.push(error) }));
      }),
    );
    await sleep(SETTLE);
    failures.length = 0;
    progress('heartbeats: a minute');
    const minute = await measured(bench, () => sleep(MINUTE));
    stopClock();
    progress('heartbeats: silence');
    const silence = await measured(bench, () => sleep(SILENCE));
    progress('heartbeats: an hour');
    const hour = await measured(bench, () => clock.pass(HOUR, ROUNDS * options.agents));
    stopClock = clock.run();
    if (failures.length > 0) throw new Error(`heartbeats: ${failures.length} failed, such as ${String(failures[0])}`);
    const anyway = (silence.processorSeconds * SECOND) / SILENCE;
    report(bench, 'for a minute', MINUTE, minute);
    report(bench, 'for an hour of their own time', HOUR, { ...hour, processorSeconds: hour.processorSeconds + (anyway * HOUR) / SECOND });
  } finally {
    await Promise.all(agents.map((agent) => agent.stop()));
    stopClock();
  }
}

interface Measured {
  readonly writes: number;
  /** NaN where the server's process is not known */
  readonly processorSeconds: number;
}

async function measured(bench: Bench, work: () => Promise<void>): Promise<Measured> {
  const before = await revision(bench);
  const [writes, processorUs = Number.NaN] = await withProcessorTime(
    bench.target,
    async () => {
      await work();
      return (await revision(bench)) - before;
    },
    () => 1,
  );
  return { writes, processorSeconds: processorUs / 1e6 };
}

/** @param period milliseconds of the agents' time */
function report({ report, target, options }: Bench, name: string, period: number, { writes, processorSeconds }: Measured): void {
  const figures = target.pid === undefined ? undefined : processFigures(target.pid);
  report({
    workload: 'heartbeats',
    name: `${options.agents} agents ${name}`,
    perSecond: (writes * SECOND) / period,
    ...(figures !== undefined && {
      processorUs: (processorSeconds * 1e6) / writes,
      residentMb: figures.residentBytes / 1e6,
      anonymousMb: figures.anonymousBytes / 1e6,
      note: `${((100 * processorSeconds * SECOND) / period).toFixed(1)}% of a core`,
    }),
  });
}

interface SimulatedAgent {
  readonly target: Target;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly index: number;
  readonly failed: (error: unknown) => void;
}

/** @returns when the node is registered */
async function startAgent({ target, identity, clock, index, failed }: SimulatedAgent): Promise<Agent> {
  const name = `bench-node-${index}`;
  const { host, port, authority, token } = target;
  const trust = authority === undefined ? { insecureSkipTlsVerify: true } : { certificateAuthority: authority };
  const dialect: Dialect = identity.dialect;
  const client = createClient({ server: `https://${host}:${port}`, token, ...trust }, { dialect });
  const machine = new Machine(new SystemFiles(), () => undefined);
  const silent = (): void => {};
  const reporter = new NodeReporter({
    client,
    registration: {
      name,
      hostname: name,
      identity,
      configuration: CONFIGURATION,
      facts: machine.facts,
      labels: {},
      hasExternalProvider: false,
    },
    registers: true,
    source: new StatusSource({
      machine,
      configuration: CONFIGURATION,
      identity,
      reserved: { cpu: 0, memory: 0, 'ephemeral-storage': 0, pid: 0 },
      addresses: [
        { type: 'InternalIP', address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` },
        { type: 'Hostname', address: name },
      ],
      version: 'v1.32.0',
      port: 10_250,
      sources: [],
      runtime: undefined,
    }),
    updateFrequency: 10 * SECOND,
    reportFrequency: index % REPORTING === 0 ? MINUTE : Number.POSITIVE_INFINITY,
    events: { record: silent },
    clock,
    log: { debug: silent, info: silent, warn: failed, error: failed },
  });
  const lease = new NodeLease({
    client,
    identity,
    nodeName: name,
    durationSeconds: CONFIGURATION.nodeLeaseDurationSeconds as number,
    nodeUid: () => reporter.uid,
    clock,
    failed,
  });
  reporter.start();
  await reporter.registered();
  lease.start();
  return {
    async stop() {
      await lease.stop();
      await reporter.stop();
      await client.close();
    },
  };
}

/** Writes that the server has taken so far. */
async function revision({ target, groupDomain }: Bench): Promise<number> {
  const group = `coordination.${groupDomain}`;
  const list = await request(target, 'GET', `/apis/${group}/v1/leases?limit=1`);
  return Number((JSON.parse(list.toString('utf8')) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
}
