/** Deletes requests that nobody waits for any more, at the ages of 1.32. */
import { X509Certificate } from 'node:crypto';
import { DATED_CLOCK, type DatedClock } from '../../client/work-queue/clock.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storedObjects } from '../conditions/condition-controller.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { type RequestObject, RequestWriter, requestResource } from './pending-requests.ts';

const HOUR = 60 * 60 * 1_000;
/** The milliseconds between two looks. */
const INTERVAL = HOUR;
/** The milliseconds after which a decided request is removed. */
const DECIDED_FOR = HOUR;
/** The milliseconds after which a pending request is removed. */
const PENDING_FOR = 24 * HOUR;

export class CertificateRequestCleaner implements Controller {
  readonly #server: ControllerServer;
  readonly #clock: DatedClock;
  readonly #resource: Resource;
  readonly #writer: RequestWriter;
  #callOff: (() => void) | undefined;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(server: ControllerServer, clock: DatedClock = DATED_CLOCK) {
    this.#server = server;
    this.#clock = clock;
    this.#resource = requestResource(server);
    this.#writer = new RequestWriter(server, this.#resource);
  }

  async list(): Promise<void> {
    this.#callOff?.();
    this.#next();
  }

  /** Does nothing, because requests are removed only by their age. */
  changed(): void {}

  async stop(): Promise<void> {
    this.#callOff?.();
    this.#writer.stop();
    await this.#cleaning;
  }

  /** Resolves when the look that is under way has ended. */
  settled(): Promise<void> {
    return this.#cleaning;
  }

  #next(): void {
    this.#callOff = this.#clock.after(INTERVAL, () => {
      this.#cleaning = this.#clean().catch((error) =>
        this.#server.log.warn({ err: error }, 'old certificate requests could not be deleted'),
      );
      this.#next();
    });
  }

  async #clean(): Promise<void> {
    const now = this.#clock.date();
    for (const request of storedObjects(this.#server.storage, this.#resource) as RequestObject[])
      if (isDone(request, now)) await this.#writer.delete(request);
  }
}

/**
 * Whether a request has been decided or has waited for long enough. As in 1.32, one that was approved stays until it is signed.
 * @param now milliseconds since 1970
 */
export function isDone({ metadata, status }: RequestObject, now: number): boolean {
  const conditions = status?.conditions ?? [];
  const since = (time: string | null | undefined): number => now - Date.parse(time ?? '');
  const certificate = status?.certificate ?? '';
  if (conditions.length === 0) return since(metadata.creationTimestamp) > PENDING_FOR;
  return conditions.some(({ type, lastUpdateTime }) => {
    const isOld = since(lastUpdateTime) > DECIDED_FOR;
    if (type === 'Approved') return certificate !== '' && (isOld || hasEnded(certificate, now));
    return (type === 'Denied' || type === 'Failed') && isOld;
  });
}

function hasEnded(base64: string, now: number): boolean {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64')).validToDate.getTime() < now;
  } catch {
    return false;
  }
}
