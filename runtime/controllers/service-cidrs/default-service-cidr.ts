/**
 * The ServiceCIDR of the ranges that flags name, as 1.32 keeps it: made where it is missing, and said to be ready where nobody says whether it is. One
 * with other ranges stays as it is; whoever runs the cluster is told.
 */
import type { ApiObject } from '../../contract/object.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import type { ServiceAddresses } from '../../registry/allocation/service-addresses.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import { storageKey } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { ensureObjects } from '../../system-objects/ensure.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { EventRecorder } from '../writes/event-recorder.ts';
import { serverWriter } from '../writes/server-writer.ts';

/** The milliseconds between two rounds, as in 1.32. */
const INTERVAL = 10_000;
/** The name as which the controller owns the condition and records events, as in 1.32. */
const NAME = '${defaultService}-service-cidr-controller';

export function defaultServiceCidr(server: ControllerServer): DefaultServiceCidr | undefined {
  return server.serviceAddresses && new DefaultServiceCidr(server, server.serviceAddresses);
}

/** Makes it where it is missing, so that services can be made. */
export async function makeDefaultServiceCidr(server: ControllerServer): Promise<void> {
  const { serviceAddresses, identity } = server;
  if (serviceAddresses === undefined) return;
  const { group, version } = serviceAddresses.cidrResource.groupVersion;
  await ensureObjects(server, [
    {
      resource: { group, version, name: serviceAddresses.cidrResource.data.name },
      metadata: { name: identity.text('${defaultService}') },
      members: { spec: { cidrs: serviceAddresses.defaults } },
    },
  ]);
}

export class DefaultServiceCidr implements Controller {
  readonly #server: ControllerServer;
  readonly #addresses: ServiceAddresses;
  readonly #name: string;
  readonly #writer: ControllerWriter;
  readonly #events: EventRecorder;
  readonly #failures = new RecurringFailures();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;
  /** revision of the object that somebody was told about */
  #told = 0;

  constructor(server: ControllerServer, addresses: ServiceAddresses) {
    const { text } = server.identity;
    this.#server = server;
    this.#addresses = addresses;
    this.#name = text('${defaultService}');
    this.#writer = serverWriter(server, text(NAME));
    this.#events = new EventRecorder(server, text(NAME));
  }

  async list(): Promise<void> {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setInterval(() => this.look(), INTERVAL).unref();
    this.look();
  }

  changed(): void {}

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#work;
    this.#writer.stop();
    await this.#events.stop();
  }

  /** Resolves when the object is as it should be; what hinders it is logged, once for each reason. */
  look(): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      try {
        await this.#look();
        this.#failures.succeeded(NAME);
      } catch (error) {
        if (this.#failures.isNew(NAME, error))
          this.#server.log.error({ err: error }, 'the default range of services could not be kept; it is tried again');
      }
    });
    return this.#work;
  }

  async #look(): Promise<void> {
    const { storage } = this.#server;
    const key = storageKey(this.#addresses.cidrResource, '', this.#name);
    if (storage.get(key) === undefined) await makeDefaultServiceCidr(this.#server);
    const entry = storage.get(key);
    if (entry === undefined) return;
    const object = new StoredObject(entry.value).parse();
    // Who deletes it is kube-controller-manager, when nobody needs it.
    if (object.metadata.deletionTimestamp !== undefined) return;
    const told = this.#told;
    this.#told = entry.revision;
    if (!deepEqual(object.spec?.cidrs, this.#addresses.defaults)) {
      if (told !== entry.revision) this.#tellOfOtherRanges(object);
      return;
    }
    const condition = readyOf(object);
    if (condition === undefined || condition.status === 'Unknown') await this.#sayReady();
    else if (condition.status !== 'True' && told !== entry.revision) this.#record(object, condition.reason ?? '', condition.message ?? '');
  }

  #tellOfOtherRanges(object: ApiObject): void {
    const [has, wants] = [`[${object.spec?.cidrs?.join(' ')}]`, `[${this.#addresses.defaults.join(' ')}]`];
    this.#server.log.warn(
      { has, wants },
      'the default range of services is another one than --service-cluster-ip-range names: change the flag, or delete the object',
    );
    const message = `The default ServiceCIDR ${has} does not match the controller flag configurations ${wants}`;
    this.#record(object, 'KubernetesDefaultServiceCIDRInconsistent', message);
  }

  async #sayReady(): Promise<void> {
    const message = 'Kubernetes default Service CIDR is ready';
    const condition = { type: 'Ready', status: 'True', reason: '', message, lastTransitionTime: timestamp(Date.now()) };
    await this.#writer.applyStatus(
      { resource: this.#addresses.cidrResource, namespace: '', name: this.#name },
      { conditions: [condition] },
    );
  }

  #record({ metadata }: ApiObject, reason: string, message: string): void {
    const { apiVersion, data } = this.#addresses.cidrResource;
    const { name = '', uid = '' } = metadata;
    this.#events.record({ subject: { apiVersion, kind: data.kind, namespace: '', name, uid }, type: 'Warning', reason, message });
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function readyOf({ status }: ApiObject): Condition | undefined {
  const conditions = (status?.conditions ?? []) as readonly Condition[];
  return conditions.find(({ type }) => type === 'Ready');
}
