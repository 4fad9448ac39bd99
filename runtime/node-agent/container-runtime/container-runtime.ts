/** The agent's calls to the container runtime, by version 1 of the container runtime interface. A failed call throws InterfaceError. */
import {
  type Container,
  type ContainerStatus,
  type PodSandbox,
  type RuntimeCondition,
  RuntimeService,
  type VersionResponse,
} from '../../../generated/node-interfaces/container-runtime.ts';
import { InterfaceClient } from '../grpc/interface-client.ts';
import { InterfaceError } from '../grpc/interface-error.ts';

/** The version of the interface that the agent sends, as 1.32 does. */
const INTERFACE_VERSION = '0.1.0';
/** Longest limit of a call in milliseconds: 24 days, about the longest time of a timer. */
const MAX_TIMEOUT = 24 * 24 * 60 * 60 * 1_000;

export interface CheckpointOrder {
  readonly containerId: string;
  /** absolute path for the archive, in an existing folder */
  readonly location: string;
  /** seconds; a value below the timeout of all calls is replaced by that timeout */
  readonly timeout: bigint;
  readonly signal: AbortSignal;
}

export class ContainerRuntime {
  readonly #client: InterfaceClient;
  readonly #timeout: number;

  /** @param timeout of calls, in milliseconds; connections are made by the calls */
  constructor(socket: string, timeout: number) {
    this.#client = new InterfaceClient(socket);
    this.#timeout = timeout;
  }

  version(signal?: AbortSignal): Promise<VersionResponse> {
    return this.#client.call(RuntimeService.Version, { version: INTERFACE_VERSION }, this.#limits(signal));
  }

  /** The runtime's conditions, such as those of `type` RuntimeReady and NetworkReady. */
  async conditions(signal?: AbortSignal): Promise<readonly RuntimeCondition[]> {
    const { status } = await this.#client.call(RuntimeService.Status, {}, this.#limits(signal));
    return status?.conditions ?? [];
  }

  /** @param labels that they have, all of them */
  async sandboxes(labels: ReadonlyMap<string, string>, signal?: AbortSignal): Promise<readonly PodSandbox[]> {
    const request = { filter: { labelSelector: labels } };
    const { items } = await this.#client.call(RuntimeService.ListPodSandbox, request, this.#limits(signal));
    return items;
  }

  /** @param labels that they have, all of them */
  async containers(labels: ReadonlyMap<string, string>, signal?: AbortSignal): Promise<readonly Container[]> {
    const request = { filter: { labelSelector: labels } };
    const { containers } = await this.#client.call(RuntimeService.ListContainers, request, this.#limits(signal));
    return containers;
  }

  /** @returns undefined if the container does not exist, or no longer */
  async containerStatus(containerId: string, signal?: AbortSignal): Promise<ContainerStatus | undefined> {
    try {
      const { status } = await this.#client.call(RuntimeService.ContainerStatus, { containerId }, this.#limits(signal));
      return status;
    } catch (error) {
      if (error instanceof InterfaceError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** Makes the runtime write the current state of a container to a file. */
  async checkpoint({ containerId, location, timeout, signal }: CheckpointOrder): Promise<void> {
    const least = BigInt(Math.ceil(this.#timeout / 1_000));
    const seconds = timeout > least ? timeout : least;
    const milliseconds = Math.max(this.#timeout, Math.min(Number(seconds) * 1_000, MAX_TIMEOUT));
    const request = { containerId, location, timeout: seconds };
    await this.#client.call(RuntimeService.CheckpointContainer, request, { timeout: milliseconds, signal });
  }

  /** Closes the connection. Calls under way fail. */
  close(): void {
    this.#client.close();
  }

  #limits(signal: AbortSignal | undefined): { timeout: number; signal?: AbortSignal } {
    return { timeout: this.#timeout, signal };
  }
}
