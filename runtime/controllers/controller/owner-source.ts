/** The contract for finding owners of objects that another API server has. */

/** The place of the owners of one kind. */
export interface OwnerPlace {
  /** the name in URLs, such as `lamps` */
  readonly resource: string;
  readonly namespaced: boolean;
  /** Requests an object. @param path the path of the API, without a query. @returns undefined if nobody answers */
  get(path: string): Promise<{ readonly status: number; readonly body: string } | undefined>;
}

export interface OwnerSource {
  /** whether there is no other server: nobody is asked then */
  readonly isEmpty: boolean;
  /** @returns undefined for a kind that the other server does not have, as far as is known */
  place(apiVersion: string, kind: string): Promise<OwnerPlace | undefined>;
}
