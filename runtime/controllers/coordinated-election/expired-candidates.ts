/** Deletes candidates for leases that have said nothing for so long that they are none any longer, as 1.32 does. */
import type { LeaseCandidateSpec } from '../../../generated/coordination/v1alpha2/types.ts';
import { DATED_CLOCK, type DatedClock } from '../../client/work-queue/clock.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isConflict, isNotFound } from '../../status/status.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { isCandidateOver } from './election-rules.ts';

/** The milliseconds between two looks. */
const INTERVAL = 30 * 60 * 1_000;
/** The number of candidates that are examined in one turn. */
const SLICE = 64;

export class ExpiredCandidates implements Controller {
  readonly #server: ControllerServer;
  readonly #candidates: Resource;
  readonly #clock: DatedClock;
  readonly #writer: ControllerWriter;
  #callOff: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(server: ControllerServer, { candidates }: { readonly candidates: Resource }, clock: DatedClock = DATED_CLOCK) {
    this.#server = server;
    this.#candidates = candidates;
    this.#clock = clock;
    this.#writer = serverWriter(server);
  }

  /** The first look is at the start; a listing that is made anew is none. */
  async list(): Promise<void> {
    if (this.#callOff === undefined) this.#look();
  }

  /** Does nothing, because candidates are removed only by their age. */
  changed(): void {}

  /** Resolves when the look that is under way has ended. */
  settled(): Promise<void> {
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    this.#writer.stop();
    await this.#looking;
  }

  #look(): void {
    if (this.#stopped) return;
    this.#callOff = this.#clock.after(INTERVAL, () => this.#look());
    this.#looking = this.#looking
      .then(() => this.#clean())
      .catch((error) => this.#server.log.error({ err: error }, 'expired candidates for leases could not be deleted'));
  }

  async #clean(): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, storagePrefix(this.#candidates, ''), { size: SLICE })) {
      const expired: ApiObject[] = [];
      for (const { value } of slice) {
        const object: ApiObject & { readonly spec?: LeaseCandidateSpec } = new StoredObject(value).parse();
        if (object.spec === undefined || isCandidateOver(object.spec, this.#clock.date())) expired.push(object);
      }
      for (const { metadata } of expired) if (!this.#stopped) await this.#delete(metadata);
      if (this.#stopped) return;
    }
  }

  /** One that has said something meanwhile stays. */
  async #delete({ namespace = '', name = '', resourceVersion = '' }: ApiObject['metadata']): Promise<void> {
    try {
      await this.#writer.delete({ resource: this.#candidates, namespace, name }, { preconditions: { resourceVersion } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
