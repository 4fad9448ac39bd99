/** The part of an OpenAPI v3 document that describes one resource. Caches use this object as their key. */
export interface OpenapiSource {
  /** Makes the part. It returns an equal part on every call. */
  readonly load: () => Promise<OpenapiPart>;
  /** differs from that of every other source whose part differs */
  readonly hash: string;
}

/** A part of a document, as plain JSON. Parts of the same document do not contradict each other: what several of them have is equal. */
export interface OpenapiPart {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  /** schemas by definition name; one that several parts use is the same object in all of them */
  readonly schemas: Readonly<Record<string, object>>;
  /** whether the schemas are so long that going through them takes long; default false */
  readonly isMuchWork?: boolean;
}
