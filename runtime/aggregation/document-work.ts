/**
 * Work on what other servers send: discovery, OpenAPI documents and lists of objects. These may be very long, so another thread reads the long ones,
 * and returns bytes that this thread passes on unread. Short ones are read here, without a message to that thread.
 */

import { turn } from '../event-loop/turns.ts';
import { type MergedRuns, type MergeOrder, mergedRuns } from '../openapi/merged-runs.ts';
import { type ReadDocument, type ReadingOrder, readRemote, type UpgradeOrder, upgradedRemote } from '../openapi/remote-reading.ts';
import { type DescriptionOrder, describedVersions, type ListOrder, listedVersion } from './described-resources.ts';
import { type DocumentListOrder, listedHashes } from './listed-documents.ts';
import { listedObjects, type ObjectListOrder } from './listed-objects.ts';
import type { ListedObjects } from './object-pages.ts';
import { type OwnedObjects, type OwnedObjectsOrder, ownedObjects } from './owned-objects.ts';

/** The works by name. Orders and results must be such that threads can send them to each other. */
export interface DocumentWorks {
  readSwagger(order: ReadingOrder): ReadDocument;
  upgradeSwagger(order: UpgradeOrder): Promise<Uint8Array>;
  mergeSwagger(order: MergeOrder): Promise<MergedRuns>;
  listDocuments(order: DocumentListOrder): readonly (string | undefined)[];
  describeAll(order: DescriptionOrder): readonly Uint8Array[];
  describeVersion(order: ListOrder): Uint8Array;
  listObjects(order: ObjectListOrder): ListedObjects;
  listOwned(order: OwnedObjectsOrder): OwnedObjects;
}

export const documentWorks: DocumentWorks = {
  readSwagger: readRemote,
  upgradeSwagger: upgradedRemote,
  mergeSwagger: mergedRuns,
  listDocuments: listedHashes,
  describeAll: describedVersions,
  describeVersion: listedVersion,
  listObjects: listedObjects,
  listOwned: ownedObjects,
};

export type WorkName = keyof DocumentWorks;
export type WorkOrder<N extends WorkName> = Parameters<DocumentWorks[N]>[0];
export type WorkResult<N extends WorkName> = Awaited<ReturnType<DocumentWorks[N]>>;

/** Another thread that does these works. */
export interface DocumentThread {
  /** @throws Error of the work itself, or if it takes too much memory or time */
  work<N extends WorkName>(name: N, order: WorkOrder<N>): Promise<WorkResult<N>>;
  close(): Promise<void>;
}

/** Most bytes that are read on this thread, which takes a few milliseconds whatever they hold. */
const SHORT = 32 * 1024;

export class DocumentWork {
  readonly #thread: DocumentThread;

  constructor(thread: DocumentThread) {
    this.#thread = thread;
  }

  /** @param size bytes of the whole input. @throws as `DocumentThread.work` */
  async do<N extends WorkName>(name: N, order: WorkOrder<N>, size: number): Promise<WorkResult<N>> {
    if (size > SHORT) return this.#thread.work(name, order);
    // many servers may answer in the same turn of the event loop
    await turn();
    const work = documentWorks[name] as (order: WorkOrder<N>) => ReturnType<DocumentWorks[N]>;
    return (await work(order)) as WorkResult<N>;
  }
}
