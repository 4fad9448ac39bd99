/** Follows the devices of one plugin, as long as that runs (device plugin interface v1beta1, ListAndWatch). */
import { DevicePlugin, type ListAndWatchResponse } from '../../../generated/node-interfaces/device-plugins.ts';
import { InterfaceClient } from '../grpc/interface-client.ts';

const HEALTHY = 'Healthy';

export interface DeviceCounts {
  readonly healthy: number;
  readonly unhealthy: number;
}

/** Why a plugin is no longer followed; undefined: it ended the call or is gone. */
export type Ending = Error | undefined;

export class PluginDevices {
  readonly #client: InterfaceClient;
  readonly #end = new AbortController();
  readonly #following: Promise<void>;

  /**
   * @param socket of the plugin
   * @param told called with all devices whenever they have changed
   * @param ended called once, unless `stop` was called before
   */
  constructor(socket: string, told: (counts: DeviceCounts) => void, ended: (ending: Ending) => void) {
    this.#client = new InterfaceClient(socket);
    this.#following = this.#follow(told).then(
      () => this.#ended(ended, undefined),
      (error: Error) => this.#ended(ended, error),
    );
  }

  /** Stops following: neither callback is called from now on. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }

  async #follow(told: (counts: DeviceCounts) => void): Promise<void> {
    for await (const devices of this.#client.stream(DevicePlugin.ListAndWatch, {}, this.#end.signal)) {
      if (this.#end.signal.aborted) return;
      told(countsOf(devices));
    }
  }

  #ended(ended: (ending: Ending) => void, ending: Ending): void {
    this.#client.close();
    if (!this.#end.signal.aborted) ended(ending);
  }
}

/** If a device is listed twice, the last entry counts. */
function countsOf({ devices }: ListAndWatchResponse): DeviceCounts {
  const health = new Map(devices.map((device) => [device.ID, device.health]));
  const healthy = [...health.values()].filter((each) => each === HEALTHY).length;
  return { healthy, unhealthy: health.size - healthy };
}
