/** Computes the wanted status of the node from the machine, the configuration and what the parts of the agent say. */
import type { NodeAddress, NodeStatus, NodeSystemInfo } from '../../../generated/client/core/v1/types.ts';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import { milliseconds } from '../contract/durations.ts';
import type { ResourceSource, RuntimeSource } from '../contract/part.ts';
import type { Machine, MachineFacts } from './machine.ts';
import { type ConditionState, conditionStates } from './node-conditions.ts';
import { nodeResources, type ReservedResources } from './node-resources.ts';
import { PressureWatch } from './pressure.ts';
import { readThresholds, type Threshold } from './thresholds.ts';

export interface StatusParts {
  readonly machine: Machine;
  readonly configuration: NodeAgentConfiguration;
  readonly identity: Identity;
  readonly reserved: ReservedResources['reserved'];
  readonly addresses: readonly NodeAddress[];
  /** the version of the agent, such as `v1.32.0` */
  readonly version: string;
  /** the port that the agent listens on; undefined if it does not listen */
  readonly port: number | undefined;
  /** the parts of the agent that provide resources, such as devices */
  readonly sources: readonly ResourceSource[];
  readonly runtime: RuntimeSource | undefined;
}

/** A status without the times of its conditions. */
export interface WantedStatus {
  readonly conditions: readonly ConditionState[];
  readonly rest: Omit<NodeStatus, 'conditions'>;
}

/** The version of the container runtime while it has not answered, or if the agent has none. */
const NO_RUNTIME = 'none://';
const SHUTDOWN = 'node is shutting down';

export class StatusSource {
  readonly #parts: StatusParts;
  readonly #thresholds: readonly Threshold[];
  readonly #pressure: PressureWatch;
  #isShuttingDown = false;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#thresholds = readThresholds(parts.configuration).thresholds;
    this.#pressure = new PressureWatch(this.#thresholds, milliseconds(parts.configuration.evictionPressureTransitionPeriod));
  }

  /** Measures the machine now, and asks the parts. @param now milliseconds of a clock that only goes forward */
  status(now: number): WantedStatus {
    const { machine, configuration, identity, reserved, addresses, port, sources, runtime } = this.#parts;
    const { facts } = machine;
    const pressures = this.#pressure.observe(machine.supplies(), now);
    const problems = [...(runtime?.problems() ?? []), ...(this.#isShuttingDown ? [SHUTDOWN] : [])];
    const disk = configuration.localStorageCapacityIsolation === false ? undefined : machine.disk();
    return {
      conditions: conditionStates(pressures, problems, identity.text),
      rest: {
        ...nodeResources({ configuration, facts, disk, reserved, thresholds: this.#thresholds, sources }),
        addresses: [...addresses],
        daemonEndpoints: { kubeletEndpoint: { Port: port ?? 0 } },
        nodeInfo: this.#info(facts),
      },
    };
  }

  /** Makes every later status tell that the node is not ready, because it is shutting down. */
  shutDown(): void {
    this.#isShuttingDown = true;
  }

  #info(facts: MachineFacts): NodeSystemInfo {
    const { runtime, version } = this.#parts;
    const { machineID, systemUUID, bootID, kernelVersion, osImage, operatingSystem, architecture } = facts;
    return {
      machineID,
      systemUUID,
      bootID,
      kernelVersion,
      osImage,
      containerRuntimeVersion: runtime?.version() ?? NO_RUNTIME,
      kubeletVersion: version,
      kubeProxyVersion: version,
      operatingSystem,
      architecture,
    };
  }
}
