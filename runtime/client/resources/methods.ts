/** The methods of resources. Types show only those whose verbs the resource has. */
import type { List, Named, PartialObject, Stored, Table, Written } from '../objects/object.ts';
import type { JsonPatchOperation, MergePatch, StrategicMergePatch } from '../objects/patches.ts';
import type { Status } from '../objects/status.ts';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PagesOptions,
  TableOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import type { ObjectTypes, Resource, ResourceTypes, SubresourceTypes, Verb } from './resource.ts';

/** An object as the server answers with it. */
export type Answer<R extends ObjectTypes> = R['stored'] extends true ? Stored<R['object'], R['scope']> : R['object'];

/** A change of one object. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** the object after the change, or at its deletion */
  readonly object: T;
}

/** All methods for objects of one place. They throw ApiError if the server refuses, and ConnectionError if it is not reached. */
export interface Methods<R extends ObjectTypes> {
  get(name: string, options?: GetOptions): Promise<Answer<R>>;
  /** The object as the server would print it. */
  getTable(name: string, options?: GetOptions & TableOptions): Promise<Table<unknown>>;
  /** The object's metadata alone. */
  getMetadata(name: string, options?: GetOptions): Promise<PartialObject<R['scope']>>;
  list(options?: ListOptions<R['fields']>): Promise<List<Answer<R>>>;
  /** All pages of a list. Each is read when the iteration reaches it. @throws ApiError 410 if the server no longer has the version of the next page */
  pages(options?: PagesOptions<R['fields']>): AsyncGenerator<List<Answer<R>>, void>;
  /** The objects as the server would print them. */
  listTable(options?: ListOptions<R['fields']> & TableOptions): Promise<Table<unknown>>;
  /** The objects' metadata alone. */
  listMetadata(options?: ListOptions<R['fields']>): Promise<List<PartialObject<R['scope']>>>;
  /**
   * Gives every change once and in order. If the connection breaks, falls silent or is ended by the server, it goes on with a new one from the last change or
   * bookmark. Slow readers slow the server down.
   * @throws ApiError 410 if the server no longer has the next changes: list again, or use an informer, which does that; ApiError if the server refuses
   */
  watch(options?: WatchOptions<R['fields']>): AsyncGenerator<WatchEvent<Answer<R>>, never>;
  create(object: Written<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Replaces the object. With a resourceVersion it does so only if the object has not changed since; otherwise always. */
  update(object: Named<Written<R['object']>>, options?: WriteOptions): Promise<Answer<R>>;
  /**
   * Reads the object, has it changed and updates it. All of that is repeated if somebody else has changed the object meanwhile.
   * @param change changes the object, or returns another one
   */
  modify(name: string, change: (object: Answer<R>) => Named<Written<R['object']>> | undefined, options?: WriteOptions): Promise<Answer<R>>;
  /** RFC 6902 */
  jsonPatch(name: string, patch: readonly JsonPatchOperation[], options?: WriteOptions): Promise<Answer<R>>;
  /** RFC 7386 */
  mergePatch(name: string, patch: MergePatch<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Merges lists by the keys that the schema gives them. */
  strategicMergePatch(name: string, patch: StrategicMergePatch<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Server-side apply: the field manager owns the fields that it applies; former fields that it leaves out are removed. Creates a missing object. */
  apply(object: Named<R['apply']>, options?: ApplyOptions): Promise<Answer<R>>;
  /** @returns the object if it still exists, for example because of a grace period or finalizers; some kinds always return the deleted object */
  delete(name: string, options?: DeleteOptions): Promise<Answer<R> | Status>;
  /** Deletes the selected objects, or all without a selection. */
  deleteCollection(options?: DeleteCollectionOptions<R['fields']>): Promise<List<Answer<R>> | Status>;
}

interface MethodNames {
  get: 'get' | 'getTable' | 'getMetadata';
  list: 'list' | 'pages' | 'listTable' | 'listMetadata';
  watch: 'watch';
  create: 'create';
  update: 'update';
  patch: 'jsonPatch' | 'mergePatch' | 'strategicMergePatch' | 'apply';
  delete: 'delete';
  deletecollection: 'deleteCollection';
}

/** The methods that need two verbs. */
type JoinedMethod<V extends Verb> = ['get', 'update'] extends [Extract<V, 'get'>, Extract<V, 'update'>] ? 'modify' : never;

type MethodName<R extends { verbs: Verb; strategic: boolean }> =
  | Exclude<MethodNames[R['verbs']], R['strategic'] extends true ? never : 'strategicMergePatch'>
  | JoinedMethod<R['verbs']>;

/** Objects of one namespace, or of a resource without namespaces. */
export type ResourceClient<R extends ResourceTypes> = Pick<Methods<R>, MethodName<R>> & ResourcePlace<R>;

/** Objects of all namespaces. */
export type NamespacesClient<R extends ResourceTypes> = Pick<Methods<R>, MethodName<R> & (MethodNames['list'] | 'watch')> &
  ResourcePlace<R> & {
    /** The objects of one namespace; without a name, of the client's own. */
    in(namespace?: string): ResourceClient<R>;
  };

/** Where requests go. */
export interface ResourcePlace<R extends ResourceTypes> {
  readonly resource: Resource<R>;
  /** undefined for all namespaces, and for a resource without namespaces */
  readonly namespace: string | undefined;
  /** Subresources: parts of objects, such as their `status`, and actions, such as an `eviction`. */
  subresource<N extends string & keyof R['subresources']>(name: N): SubresourceClient<R, R['subresources'][N]>;
}

type PartOf<R extends ResourceTypes, S extends SubresourceTypes> = {
  object: S['object'];
  apply: S['apply'];
  scope: R['scope'];
  verbs: S['verbs'];
  fields: never;
  stored: S['stored'];
  strategic: S['strategic'];
};

export type SubresourceClient<R extends ResourceTypes, S extends SubresourceTypes> = Pick<
  Methods<PartOf<R, S>>,
  Exclude<MethodName<PartOf<R, S>>, 'create' | 'getTable' | 'getMetadata'>
> &
  ('create' extends S['verbs'] ? SubresourceCreate<S> : unknown);

export interface SubresourceCreate<S extends SubresourceTypes> {
  /** @param name of the object */
  create(name: string, object: Written<S['object']>, options?: WriteOptions): Promise<S['answer']>;
}

/** The client of a resource, for all namespaces if it has some. */
export type ClientOf<R extends ResourceTypes> = R['scope'] extends 'Namespaced' ? NamespacesClient<R> : ResourceClient<R>;
