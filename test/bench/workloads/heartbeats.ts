/**
 * What the server takes for node agents that only say that they live: each renews its lease every ten seconds, looks at its node as often, reports it every five minutes and
 * follows what others say of it, over a connection of its own. All of them run in this process, as the agent itself does it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../generated/client/index.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { PROCESS_CLOCK } from '../../../runtime/client/work-queue/clock.ts';
import { createIdentity, type Dialect, type Identity } from '../../../runtime/contract/identity.ts';
import { Machine } from '../../../runtime/node-agent/node/machine.ts';
import { NodeLease } from '../../../runtime/node-agent/node/node-lease.ts';
import { NodeReporter } from '../../../runtime/node-agent/node/node-reporter.ts';
import { StatusSource } from '../../../runtime/node-agent/node/node-status.ts';
import { SystemFiles } from '../../../runtime/node-agent/node/system-files.ts';
import { type Bench, request, withProcessorTime } from '../bench.ts';
import { processFigures } from '../process-figures.ts';
import type { Target } from '../target.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Milliseconds within which all of them start. */
const START = 20 * SECOND;
/** Milliseconds of quiet before they are measured. */
const SETTLE = 15 * SECOND;
/** Of five minutes as much is one as of all agents this part: so many report each minute. */
const REPORTING = 5;

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
  try {
    progress(`heartbeats: ${options.agents} agents start`);
    await Promise.all(
      Array.from({ length: options.agents }, async (_, index) => {
        await sleep((START * index) / options.agents);
        agents.push(await startAgent(target, identity, index, (error) => failures.push(error)));
      }),
    );
    await sleep(SETTLE);
    failures.length = 0;
    const before = await revision(bench);
    const [writes, processorUs] = await withProcessorTime(
      target,
      async () => {
        await sleep(MINUTE);
        return (await revision(bench)) - before;
      },
      (count) => count,
    );
    if (failures.length > 0) throw new Error(`heartbeats: ${failures.length} failed, such as ${String(failures[0])}`);
    report(bench, writes, processorUs);
  } finally {
    await Promise.all(agents.map((agent) => agent.stop()));
  }
}

function report({ report, target, options }: Bench, writes: number, processorUs: number | undefined): void {
  const perSecond = writes / (MINUTE / SECOND);
  const figures = target.pid === undefined ? undefined : processFigures(target.pid);
  const ofCore = processorUs === undefined ? '' : `${((perSecond * processorUs) / 1e4).toFixed(1)}% of a core`;
  report({
    workload: 'heartbeats',
    name: `${options.agents} agents for a minute`,
    perSecond,
    ...(processorUs !== undefined && { processorUs }),
    ...(figures !== undefined && { residentMb: figures.residentBytes / 1e6, anonymousMb: figures.anonymousBytes / 1e6 }),
    note: ofCore,
  });
}

/** @returns when the node is registered */
async function startAgent(target: Target, identity: Identity, index: number, failed: (error: unknown) => void): Promise<Agent> {
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
    reportFrequency: index % REPORTING === 0 ? MINUTE : 60 * MINUTE,
    events: { record: silent },
    clock: PROCESS_CLOCK,
    log: { debug: silent, info: silent, warn: failed, error: failed },
  });
  const lease = new NodeLease({
    client,
    identity,
    nodeName: name,
    durationSeconds: CONFIGURATION.nodeLeaseDurationSeconds as number,
    nodeUid: () => reporter.uid,
    clock: PROCESS_CLOCK,
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
