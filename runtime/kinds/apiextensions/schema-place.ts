/** The schema of a version, or the one that all versions share. */
export interface SchemaPlace {
  readonly path: string;
  /** what stands before the path where findings name other places, such as `spec` */
  readonly above: string;
  /** whether the status is a subresource */
  readonly hasStatus: boolean;
  /** whether the schema is stored already, so that no rule of it is refused for its cost */
  readonly isUnchanged: boolean;
}
