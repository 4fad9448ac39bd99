/**
 * What is made of documents in which other servers describe themselves, and of lists of what they have. A server may say anything, and much: another
 * thread reads what is long, and gives bytes back that this one need not look at. What is short costs no message to that thread.
 */
import { type MergedRuns, type MergeOrder, mergedRuns } from '../openapi/merged-runs.ts';
import { type ReadDocument, type ReadingOrder, readRemote, type UpgradeOrder, upgradedRemote } from '../openapi/remote-reading.ts';
import { turn } from '../registry/event-loop-turns.ts';
import { type DescriptionOrder, describedVersions, type ListOrder, listedVersion } from './described-resources.ts';
import { type DocumentListOrder, listedHashes } from './listed-documents.ts';
import { listedObjects, type ObjectListOrder } from './listed-objects.ts';
import type { ListedObjects } from './object-pages.ts';

/** Each by its name, of what can be sent between threads. */
export interface DocumentWorks {
  readSwagger(order: ReadingOrder): ReadDocument;
  upgradeSwagger(order: UpgradeOrder): Promise<Uint8Array>;
  mergeSwagger(order: MergeOrder): Promise<MergedRuns>;
  listDocuments(order: DocumentListOrder): readonly (string | undefined)[];
  describeAll(order: DescriptionOrder): readonly Uint8Array[];
  describeVersion(order: ListOrder): Uint8Array;
  listObjects(order: ObjectListOrder): ListedObjects;
}

export const documentWorks: DocumentWorks = {
  readSwagger: readRemote,
  upgradeSwagger: upgradedRemote,
  mergeSwagger: mergedRuns,
  listDocuments: listedHashes,
  describeAll: describedVersions,
  describeVersion: listedVersion,
  listObjects: listedObjects,
};

export type WorkName = keyof DocumentWorks;
export type WorkOrder<N extends WorkName> = Parameters<DocumentWorks[N]>[0];
export type WorkResult<N extends WorkName> = Awaited<ReturnType<DocumentWorks[N]>>;

/** Works on another thread. */
export interface DocumentThread {
  /** @throws Error for what the work refuses, and for what takes more memory or time than it may */
  work<N extends WorkName>(name: N, order: WorkOrder<N>): Promise<WorkResult<N>>;
  close(): Promise<void>;
}

/** Bytes that are worked on here: a few milliseconds, whatever they say. */
const SHORT = 32 * 1024;

export class DocumentWork {
  readonly #thread: DocumentThread;

  constructor(thread: DocumentThread) {
    this.#thread = thread;
  }

  /** @param size of all that is to be read, in bytes. @throws Error for what is none */
  async do<N extends WorkName>(name: N, order: WorkOrder<N>, size: number): Promise<WorkResult<N>> {
    if (size > SHORT) return this.#thread.work(name, order);
    // many servers may answer at once
    await turn();
    const work = documentWorks[name] as (order: WorkOrder<N>) => ReturnType<DocumentWorks[N]>;
    return (await work(order)) as WorkResult<N>;
  }
}
