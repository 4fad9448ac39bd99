/**
 * Checks the expressions of validating policies against the kinds that they are about, and writes into their status what does not fit. What checks them is
 * loaded with the first policy.
 */
import type { ValidatingAdmissionPolicy } from '../../../generated/admissionregistration/v1/types.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { numeric } from '../../schema/scalar/raw-number.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, prefixEnd } from '../../storage/storage.ts';
import { storedObject } from '../conditions/condition-controller.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';

const MANAGER = 'validatingadmissionpolicy-status-controller';
/** Policies whose types are checked at a time: as many as in 1.32. */
const WORKERS = 5;

/** @returns undefined where no such policies are served */
export function policyStatus(server: ControllerServer): PolicyStatus | undefined {
  const group = server.identity.text('admissionregistration.${groupDomain}');
  const resource = server.registry.current.resourceOfForm(group, 'v1', 'validatingadmissionpolicies');
  return resource && new PolicyStatus(server, resource);
}

export class PolicyStatus implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;

  constructor(server: ControllerServer, resource: Resource) {
    this.#server = server;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#writer = new ControllerWriter(server, MANAGER);
    this.#queue = new WorkQueue({
      name: resource.data.name,
      metrics: server.metrics,
      workers: WORKERS,
      process: (name) => this.#process(name),
      failed: (name, error) => server.log.error({ err: error, name }, 'a policy could not be checked; it is tried again'),
    });
  }

  async list(): Promise<void> {
    const keys = this.#server.storage.range({ start: this.#prefix, end: prefixEnd(this.#prefix) });
    for (const { key } of keys) this.#queue.add(key.slice(this.#prefix.length));
  }

  changed({ key, operation }: Change): void {
    if (key.startsWith(this.#prefix) && operation !== 'delete') this.#queue.add(key.slice(this.#prefix.length));
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #process(name: string): Promise<void> {
    const policy = storedObject(this.#server.storage, this.#resource, '', name) as ValidatingAdmissionPolicy | undefined;
    const generation = policy?.metadata.generation ?? 0;
    if (policy === undefined || generation <= numeric(policy.status?.observedGeneration)) return;
    const { PolicyCheck } = await import('./policy-check.ts');
    const expressionWarnings = await new PolicyCheck(this.#server).warnings(policy.spec ?? {});
    const status = { observedGeneration: generation, typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings } };
    try {
      await this.#writer.applyStatus({ resource: this.#resource, namespace: '', name }, status);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
