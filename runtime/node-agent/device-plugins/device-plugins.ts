/**
 * Registers device plugins on a socket of the agent, and adds their devices to the node's resources. When a plugin goes, its devices become unhealthy, and
 * after a while they are removed. A plugin that registers again, with the same or another socket, takes its resource over.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type RegisterRequest, Registration } from '../../../generated/node-interfaces/device-plugins.ts';
import type { Log } from '../../observability/log.ts';
import type { ResourceAmounts, ResourceSource } from '../contract/part.ts';
import { InterfaceError } from '../grpc/interface-error.ts';
import { InterfaceServer } from '../grpc/interface-server.ts';
import { KnownResources } from './known-resources.ts';
import { type DeviceCounts, type Ending, PluginDevices } from './plugin-devices.ts';
import { checkRegistration } from './registration.ts';

/** Milliseconds for which the node keeps the devices of a plugin that is gone, as in 1.32. */
const KEPT = 5 * 60 * 1_000;
/** Most resources that plugins may register. */
const MAX_RESOURCES = 256;

export interface DevicePluginsParts {
  /** absolute path of the folder for the sockets of the agent and the plugins */
  readonly folder: string;
  /** name of the agent's socket */
  readonly socket: string;
  readonly labelDomain: string;
  readonly log: Log;
  /** milliseconds; 5 minutes by default */
  readonly kept?: number;
}

/** A resource that a plugin has registered. */
interface Resource {
  /** undefined: it has not registered since the agent started */
  plugin: PluginDevices | undefined;
  counts: DeviceCounts;
  /** whether the plugin has been gone for so long that its devices were removed */
  isGone: boolean;
  forget: NodeJS.Timeout | undefined;
}

const NO_DEVICES: DeviceCounts = { healthy: 0, unhealthy: 0 };

export class DevicePlugins implements ResourceSource {
  readonly #parts: DevicePluginsParts;
  readonly #resources = new Map<string, Resource>();
  readonly #listeners: (() => void)[] = [];
  readonly #server = new InterfaceServer();
  /** plugins that were replaced, until they are stopped */
  readonly #endings = new Set<Promise<void>>();
  #known: KnownResources | undefined;
  #isStopped = false;

  constructor(parts: DevicePluginsParts) {
    this.#parts = parts;
    this.#server.answer(Registration.Register, (request) => this.#register(request));
  }

  /**
   * Removes all sockets in the folder. Running plugins notice that the agent's is gone, and register again.
   * @throws Error of the system
   */
  async start(): Promise<void> {
    const { folder, socket } = this.#parts;
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    chmodSync(folder, 0o750);
    removeSockets(folder);
    this.#expectKnown();
    await this.#server.listen(path.join(folder, socket));
  }

  resources(): Readonly<Record<string, ResourceAmounts>> {
    const amounts = [...this.#resources].map(([name, { counts, isGone }]): [string, ResourceAmounts] => {
      const { healthy, unhealthy } = isGone ? NO_DEVICES : counts;
      return [name, { capacity: healthy + unhealthy, allocatable: healthy }];
    });
    return Object.fromEntries(amounts);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#server.stop();
    for (const { forget } of this.#resources.values()) clearTimeout(forget);
    await Promise.all([...this.#endings, ...[...this.#resources.values()].map(({ plugin }) => plugin?.stop())]);
    rmSync(path.join(this.#parts.folder, this.#parts.socket), { force: true });
  }

  /** @throws InterfaceError that says why the plugin is refused */
  #register(request: RegisterRequest): object {
    const { folder, labelDomain, log } = this.#parts;
    checkRegistration(request, labelDomain);
    const { resourceName, endpoint } = request;
    const known = this.#resources.get(resourceName);
    if (this.#isStopped) throw new InterfaceError('UNAVAILABLE', 'the node agent ends');
    if (known === undefined && this.#resources.size >= MAX_RESOURCES)
      throw new InterfaceError('RESOURCE_EXHAUSTED', `${MAX_RESOURCES} resources are registered, which is as many as may be`);
    if (known !== undefined) this.#replace(known);
    const plugin = new PluginDevices(
      path.join(folder, endpoint),
      (counts) => this.#told(resourceName, plugin, counts),
      (ending) => this.#ended(resourceName, plugin, ending),
    );
    // the old devices of the resource stay until the plugin sends its list
    this.#resources.set(resourceName, { plugin, counts: known?.counts ?? NO_DEVICES, isGone: known?.isGone ?? false, forget: undefined });
    this.#known?.add(resourceName);
    log.info({ resource: resourceName, endpoint }, 'a device plugin registered');
    return {};
  }

  #replace({ plugin, forget }: Resource): void {
    clearTimeout(forget);
    if (plugin === undefined) return;
    const ending = plugin.stop();
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  #told(name: string, plugin: PluginDevices, counts: DeviceCounts): void {
    const resource = this.#resources.get(name);
    if (resource?.plugin !== plugin) return;
    Object.assign(resource, { counts, isGone: false });
    this.#changed();
  }

  #ended(name: string, plugin: PluginDevices, ending: Ending): void {
    const resource = this.#resources.get(name);
    if (resource?.plugin !== plugin) return;
    const { log } = this.#parts;
    log.warn(
      { resource: name, problem: ending?.message ?? 'it ended the call' },
      'a device plugin has gone; its devices count as unhealthy',
    );
    const { healthy, unhealthy } = resource.counts;
    resource.counts = { healthy: 0, unhealthy: healthy + unhealthy };
    this.#forgetLater(name, resource);
    this.#changed();
  }

  #forgetLater(name: string, resource: Resource): void {
    const { kept = KEPT } = this.#parts;
    resource.forget = setTimeout(() => {
      resource.isGone = true;
      this.#known?.delete(name);
      this.#changed();
    }, kept);
    resource.forget.unref();
  }

  /** Expects plugins that were registered before to register again. */
  #expectKnown(): void {
    const { folder, log } = this.#parts;
    this.#known = new KnownResources(folder, log);
    for (const name of this.#known.names) {
      const resource: Resource = { plugin: undefined, counts: NO_DEVICES, isGone: false, forget: undefined };
      this.#resources.set(name, resource);
      this.#forgetLater(name, resource);
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function removeSockets(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (lstatSync(file).isSocket()) rmSync(file, { force: true });
  }
}
