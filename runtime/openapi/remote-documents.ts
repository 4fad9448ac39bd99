/** What the OpenAPI documents have of group versions that other servers answer. */
import type { MergedRuns, MergeOrder } from './merged-runs.ts';
import type { VersionPaths } from './remote-swagger.ts';
import type { ServedDocument } from './served-document.ts';

/** One group version. No promise rejects; undefined: its server says nothing of it. */
export interface RemoteDocuments {
  /** its v3 document */
  v3(): Promise<RemoteV3 | undefined>;
  /** its part of the v2 document */
  v2(): Promise<RemoteV2 | undefined>;
}

export interface RemoteV3 {
  /** changes with the document; '': its server names none */
  readonly hash: string;
  /** made of what its server has in version 2; absent: its server answers those who ask for it */
  readonly document?: ServedDocument;
}

export interface RemoteV2 {
  /** changes with the document */
  readonly hash: string;
  /** JSON of a `SwaggerDocument`, which several versions of one server have in common; nobody changes it */
  readonly document: Uint8Array;
  /** what of it is about the version */
  readonly about: VersionPaths;
}

/** Merges what is much work, on another thread. */
export type MergeElsewhere = (order: MergeOrder, size: number) => Promise<MergedRuns>;
