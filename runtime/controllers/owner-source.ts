/** Owners of objects here that another API server has. */

/** Where owners of a kind are. */
export interface OwnerPlace {
  /** in URLs, such as `lamps` */
  readonly resource: string;
  readonly namespaced: boolean;
  /** Asks for an object. @param path of the API, without a query. @returns undefined where nobody answers */
  get(path: string): Promise<{ readonly status: number; readonly body: string } | undefined>;
}

export interface OwnerSource {
  /** whether there is no other server: nobody is asked then */
  readonly isEmpty: boolean;
  /** @returns undefined for a kind that the other server does not have, as far as is known */
  place(apiVersion: string, kind: string): Promise<OwnerPlace | undefined>;
}
