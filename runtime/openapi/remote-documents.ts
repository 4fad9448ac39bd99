/** The documents of group versions that other servers answer. */
import type { MergedRuns, MergeOrder } from './merged-runs.ts';
import type { VersionPaths } from './remote-swagger.ts';
import type { ServedDocument } from './served-document.ts';

/** The documents of one group version. No promise rejects; undefined: its server has no such document. */
export interface RemoteDocuments {
  /** its v3 document */
  v3(): Promise<RemoteV3 | undefined>;
  /** its part of the v2 document */
  v2(): Promise<RemoteV2 | undefined>;
}

export interface RemoteV3 {
  /** changes with the document; '': its server does not name one */
  readonly hash: string;
  /** made from its server's v2 document; absent: its server answers requests for it */
  readonly document?: ServedDocument;
}

export interface RemoteV2 {
  /** changes with the document */
  readonly hash: string;
  /** JSON of a `SwaggerDocument`, which versions of the same server share; it must not be changed */
  readonly document: Uint8Array;
  /** the paths of the document that belong to the version */
  readonly about: VersionPaths;
}

/** Merges long documents on another thread. */
export type MergeElsewhere = (order: MergeOrder, size: number) => Promise<MergedRuns>;
