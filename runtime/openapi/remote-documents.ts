/** What the OpenAPI documents have of group versions that other servers answer. */
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
  readonly document: SwaggerDocument;
}

/** Members of a Swagger 2.0 document that are merged; all of it is plain JSON, which another server has written. */
export interface SwaggerDocument {
  readonly info: Members;
  readonly paths: Record<string, Members>;
  readonly definitions: Record<string, Members>;
  readonly parameters: Record<string, Members>;
}

export type Members = Readonly<Record<string, unknown>>;
