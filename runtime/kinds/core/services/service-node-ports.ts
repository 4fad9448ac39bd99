/**
 * Node ports of services, taken as 1.32 takes them. A port that a write has taken is in use for the rest of that write too: who may share it
 * is another question for a new service than for one that changes.
 */
import type { ServicePort, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import type { Allocator, Taking } from '../../../contract/allocation.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import { newInternalErrorOf, newUnknown } from '../../../status/status.ts';
import { NO_PORTS, needsHealthPort, needsNodePorts, nodePortsOf } from './service-spec.ts';

const TAKEN = 'provided port is already allocated';
const FULL = 'range is full';

/** Takes the ports that one write needs. */
export class NodePorts {
  readonly #taking: Taking;
  readonly #range: string;
  /** of this write */
  readonly #taken = new Set<number>();

  constructor(taking: Taking, { portRange }: Allocator) {
    this.#taking = taking;
    this.#range = portRange;
  }

  /**
   * @param spec changed: gets what it needs and does not name
   * @param old absent for a new service
   * @throws StatusError InternalError where the range is full, and for a port for health that it names and cannot have
   */
  async allocate(spec: ServiceSpec, old: ServiceSpec | undefined): Promise<FieldError[]> {
    const errors = needsNodePorts(spec) ? await this.#allocate(spec, old) : [];
    if (errors.length === 0 && needsHealthPort(spec) && !(old !== undefined && needsHealthPort(old)))
      await this.#allocateHealthPort(spec, old);
    return errors;
  }

  #allocate(spec: ServiceSpec, old: ServiceSpec | undefined): Promise<FieldError[]> {
    const ports = spec.ports ?? NO_PORTS;
    for (const port of ports) if (!port.nodePort) delete port.nodePort;
    const mayHaveNone = spec.type !== 'NodePort' && spec.allocateLoadBalancerNodePorts === false;
    const wanting = [...ports.entries()].filter(([, { nodePort }]) => nodePort !== undefined || !mayHaveNone);
    return old === undefined ? this.#allocateNew(wanting, ports) : this.#allocateChanged(wanting, nodePortsOf(old));
  }

  /** Ports of one number, for several protocols, share a node port, and no others do. */
  async #allocateNew(wanting: readonly [number, ServicePort][], ports: readonly ServicePort[]): Promise<FieldError[]> {
    const byNumber = new Map<number, number>();
    for (const [index, port] of wanting) {
      const shared = byNumber.get(port.port);
      const named = shared === undefined ? ports.find((each) => each.port === port.port && each.nodePort)?.nodePort : port.nodePort;
      if (named !== undefined && named !== shared) {
        const refusal = await this.#claim(named);
        if (refusal !== undefined) return [refused(index, named, refusal)];
      }
      port.nodePort = named ?? shared ?? (await this.#any('a nodePort'));
      if (shared === undefined) byNumber.set(port.port, port.nodePort);
    }
    return [];
  }

  /** Ports that are named may be shared by all that differ in protocol; every other one gets its own. */
  async #allocateChanged(wanting: readonly [number, ServicePort][], held: readonly number[]): Promise<FieldError[]> {
    const used = new Set<string>();
    for (const [index, port] of wanting) {
      if (port.nodePort === undefined) port.nodePort = await this.#any('a nodePort');
      else if (!held.includes(port.nodePort) && !this.#taken.has(port.nodePort)) {
        const refusal = await this.#claim(port.nodePort);
        if (refusal !== undefined) return [refused(index, port.nodePort, refusal)];
      }
      const use = `{${port.protocol} ${port.nodePort}}`;
      if (used.has(use)) throw newUnknown(`duplicate nodePort: ${use}`);
      used.add(use);
    }
    return [];
  }

  async #allocateHealthPort(spec: ServiceSpec, old: ServiceSpec | undefined): Promise<void> {
    const port = spec.healthCheckNodePort ?? 0;
    if (port === 0) {
      spec.healthCheckNodePort = await this.#any('a HealthCheck NodePort 0');
      return;
    }
    const isHeld = old !== undefined && needsNodePorts(old) && nodePortsOf(old).includes(port);
    const refusal = isHeld ? TAKEN : await this.#claim(port);
    if (refusal !== undefined) throw newInternalErrorOf(`failed to allocate requested HealthCheck NodePort ${port}: ${refusal}`);
  }

  /** @returns why the service cannot have the port */
  async #claim(port: number): Promise<string | undefined> {
    const outcome = this.#taken.has(port) ? 'taken' : await this.#taking.port(port);
    if (outcome === 'outside') return `provided port is not in the valid range. The range of valid ports is ${this.#range}`;
    if (outcome === 'taken') return TAKEN;
    this.#taken.add(port);
    return undefined;
  }

  /** @throws StatusError InternalError where there is none */
  async #any(noun: string): Promise<number> {
    const port = await this.#taking.anyPort();
    if (port === undefined) throw newInternalErrorOf(`failed to allocate ${noun}: ${FULL}`);
    this.#taken.add(port);
    return port;
  }
}

const refused = (index: number, port: number, detail: string): FieldError => invalid(`spec.ports[${index}].nodePort`, port, detail);
