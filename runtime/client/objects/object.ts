/** Objects of the API as clients read and write them. */

/** The members that objects of all kinds have. */
export interface AnyObject {
  kind?: string;
  apiVersion?: string;
  metadata?: AnyMetadata;
}

export interface AnyMetadata {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
}

export type Scope = 'Namespaced' | 'Cluster';

/** The metadata that the server sets in every object that it stores. */
export interface StoredMetadata {
  /** Name of the object, unique among the objects of its resource in its namespace. */
  name: string;
  /** Identity of the object: another one with its name has another uid. */
  uid: string;
  /** Version of the object, to be compared for equality alone. */
  resourceVersion: string;
  /** When the object was created, as RFC 3339 text in UTC. */
  creationTimestamp: string;
}

export interface NamespacedMetadata extends StoredMetadata {
  /** Namespace that has the object. */
  namespace: string;
}

/** An object of the type `T` that came from the server. */
export type Stored<T, S extends Scope = Scope> = T & { metadata: S extends 'Namespaced' ? NamespacedMetadata : StoredMetadata };

type TypeMember = 'kind' | 'apiVersion';

/** An object of the type `T` as it is sent: the client writes its kind and apiVersion, and a namespace that the client knows. */
export type Written<T> = { [K in keyof T as K extends TypeMember | 'metadata' ? never : K]: T[K] } & {
  [K in keyof T as K extends TypeMember | 'metadata' ? K : never]?: T[K];
};

/** An object to be sent whose name is stated. */
export type Named<T> = T & { metadata: { name: string } };

/** A page of a collection, or all of it. */
export interface List<T> {
  readonly metadata: ListMetadata;
  /** each with its kind and apiVersion, which the server leaves out of lists */
  readonly items: T[];
}

export interface ListMetadata {
  /** Version of the collection: a watch from it has every later change. */
  readonly resourceVersion: string;
  /** Reads the next page; absent on the last one. */
  readonly continue?: string;
  /** Objects on later pages; absent where the server does not count them. */
  readonly remainingItemCount?: number;
}

/** How a table shows objects: as the server would print them for people. */
export interface Table<T> {
  readonly metadata: ListMetadata;
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow<T>[];
}

export interface TableColumn {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date` */
  readonly type: string;
  /** such as `name`, for the column that is the object's name */
  readonly format: string;
  readonly description: string;
  /** 0 for columns that are always shown, more for those of wide output */
  readonly priority: number;
}

export interface TableRow<T> {
  /** one for each column */
  readonly cells: readonly unknown[];
  /** such as that a pod has completed */
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[];
  /** metadata of the object by default, all of it or nothing where the request says so */
  readonly object: T;
}

/** An object's metadata alone. */
export interface PartialObject<S extends Scope = Scope> {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: PartialMetadata & (S extends 'Namespaced' ? NamespacedMetadata : StoredMetadata);
}

interface PartialMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly generation?: number;
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
}
