/** A device plugin for tests. */
import { EventEmitter, on } from 'node:events';
import path from 'node:path';
import { DevicePlugin, type Empty, Registration } from '../../../generated/node-interfaces/device-plugins.ts';
import { InterfaceClient } from '../../../runtime/node-agent/grpc/interface-client.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';

export interface Registering {
  readonly resourceName: string;
  readonly version?: string;
  /** instead of the plugin's own */
  readonly endpoint?: string;
}

export class TestPlugin {
  readonly #folder: string;
  readonly #endpoint: string;
  readonly #server = new InterfaceServer();
  readonly #changes = new EventEmitter();
  #devices: readonly { ID: string; health: string }[];

  private constructor(folder: string, endpoint: string, devices: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#endpoint = endpoint;
    this.#devices = toDevices(devices);
    this.#server.stream(DevicePlugin.ListAndWatch, (_request, signal) => this.#follow(signal));
  }

  /** @param devices health by name */
  static async start(folder: string, endpoint: string, devices: Readonly<Record<string, string>>): Promise<TestPlugin> {
    const plugin = new TestPlugin(folder, endpoint, devices);
    await plugin.#server.listen(path.join(folder, endpoint));
    return plugin;
  }

  /** @throws InterfaceError where the agent refuses it */
  async register(agentSocket: string, { version = 'v1beta1', endpoint = this.#endpoint, resourceName }: Registering): Promise<Empty> {
    return await register(path.join(this.#folder, agentSocket), { version, endpoint, resourceName });
  }

  set devices(devices: Readonly<Record<string, string>>) {
    this.#devices = toDevices(devices);
    this.#changes.emit('change');
  }

  /** As when its process ends. */
  stop(): void {
    this.#server.stop();
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<{ devices: readonly { ID: string; health: string }[] }> {
    const changes = on(this.#changes, 'change', { signal });
    yield { devices: this.#devices };
    try {
      for await (const _ of changes) yield { devices: this.#devices };
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

export async function register(socket: string, request: Required<Registering>): Promise<Empty> {
  const client = new InterfaceClient(socket);
  try {
    return await client.call(Registration.Register, request, { timeout: 5_000 });
  } finally {
    client.close();
  }
}

function toDevices(devices: Readonly<Record<string, string>>): { ID: string; health: string }[] {
  return Object.entries(devices).map(([ID, health]) => ({ ID, health }));
}
