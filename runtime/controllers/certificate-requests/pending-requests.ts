/** CertificateSigningRequests that wait for something, each looked at when it changes. */
import type { CertificateSigningRequest } from '../../../generated/certificates/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import { storedObject, storedObjects } from '../conditions/condition-controller.ts';
import { statusOf } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';

export type RequestObject = ApiObject & Pick<CertificateSigningRequest, 'spec' | 'status'>;

export const isDecided = (request: ApiObject, decision: 'Approved' | 'Denied' | 'Failed'): boolean =>
  statusOf(request, decision) !== undefined;

/** @throws Error where nobody serves them */
export function requestResource({ registry, identity }: ControllerServer): Resource {
  const resource = registry.current.resource(identity.text('certificates.${groupDomain}'), 'v1', 'certificatesigningrequests');
  if (resource === undefined) throw new Error('--controllers: certificatesigningrequests are not served');
  return resource;
}

/** Returns the user as whom controllers of certificates write, and whose rights roles determine. */
export function certificateController({ identity: { text } }: ControllerServer): User {
  const namespace = text('${systemNamespace}');
  return {
    name: `system:serviceaccount:${namespace}:certificate-controller`,
    uid: '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {},
  };
}

/** Nothing is wrong; there may be more to do later. */
export class NotYet extends Error {}

export interface PendingRequestsOptions {
  /** the name of the queue in metrics */
  readonly queue: string;
  /** what the controller does, for the log */
  readonly work: string;
  /** Handles a request that has no certificate yet. @throws NotYet, or another Error, if it should be tried again later */
  readonly look: (request: RequestObject, writer: RequestWriter) => Promise<void>;
}

export class PendingRequests implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #writer: RequestWriter;
  readonly #queue: WorkQueue;

  constructor(server: ControllerServer, { queue, work, look }: PendingRequestsOptions) {
    this.#server = server;
    this.#resource = requestResource(server);
    this.#prefix = storagePrefix(this.#resource, '');
    this.#writer = new RequestWriter(server, this.#resource);
    this.#queue = new WorkQueue({
      name: queue,
      metrics: server.metrics,
      workers: 1,
      process: async (name) => {
        const request = storedObject(server.storage, this.#resource, '', name) as RequestObject | undefined;
        if (request !== undefined && !request.status?.certificate && request.metadata.deletionTimestamp === undefined)
          await look(request, this.#writer);
      },
      failed: (name, error) => {
        const level = error instanceof NotYet ? 'debug' : 'warn';
        server.log[level]({ err: error, request: name }, `${work} failed; it is tried again`);
      },
    });
  }

  async list(): Promise<void> {
    for (const { metadata } of storedObjects(this.#server.storage, this.#resource)) this.#queue.add(metadata.name as string);
  }

  changed({ key, operation }: Change): void {
    if (operation !== 'delete' && key.startsWith(this.#prefix)) this.#queue.add(key.slice(this.#prefix.length));
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }
}

/** Writes decisions and certificates into requests, if those are still what they were. */
export class RequestWriter {
  readonly #resource: Resource;
  readonly #writer: ControllerWriter;

  constructor(server: ControllerServer, resource: Resource) {
    this.#resource = resource;
    this.#writer = new ControllerWriter(server, undefined, certificateController(server));
  }

  stop(): void {
    this.#writer.stop();
  }

  /** @param target the decision, or what was signed. @throws StatusError */
  async write({ metadata }: RequestObject, target: 'approval' | 'status', edit: (request: ApiObject) => ApiObject): Promise<void> {
    const named = { resource: this.#resource, namespace: '', name: metadata.name as string };
    try {
      await this.#writer.update(named, target === 'status' ? 'status' : { part: target }, (old) =>
        old.metadata.uid === metadata.uid ? edit(old) : old,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** @throws StatusError */
  async delete({ metadata }: RequestObject): Promise<void> {
    const { uid } = metadata;
    try {
      await this.#writer.delete(
        { resource: this.#resource, namespace: '', name: metadata.name as string },
        { preconditions: { ...(uid !== undefined && { uid }) } },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
