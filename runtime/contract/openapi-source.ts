/** The part of an OpenAPI v3 document that describes one resource. Caches use this object as their key. */
export interface OpenapiSource {
  /** gives an equal part at every call */
  readonly load: () => Promise<OpenapiPart>;
  /** another text where `load` gives another part */
  readonly hash: string;
}

/** Plain JSON. A member that several parts of a document have is the same in all of them. */
export interface OpenapiPart {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  /** by definition name; a schema that several parts use is the same object in them */
  readonly schemas: Readonly<Record<string, object>>;
  /** true where it takes long to go through the schemas */
  readonly isMuchWork?: boolean;
}
