/** What clients can do with resources. Which of it there is goes by the verbs that the resource has. */
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
  /** as the change has left it, or as it was when it was deleted */
  readonly object: T;
}

/** Everything that can be done with objects of one place; all throw ApiError where the server refuses, and ConnectionError where it is not reached. */
export interface Methods<R extends ObjectTypes> {
  get(name: string, options?: GetOptions): Promise<Answer<R>>;
  /** The object as the server would print it. */
  getTable(name: string, options?: GetOptions & TableOptions): Promise<Table<unknown>>;
  /** The object's metadata alone. */
  getMetadata(name: string, options?: GetOptions): Promise<PartialObject<R['scope']>>;
  list(options?: ListOptions<R['fields']>): Promise<List<Answer<R>>>;
  /** All pages of a list, each read when it is asked for. @throws ApiError 410 where the server no longer keeps what the next page needs */
  pages(options?: PagesOptions<R['fields']>): AsyncGenerator<List<Answer<R>>, void>;
  /** The objects as the server would print them. */
  listTable(options?: ListOptions<R['fields']> & TableOptions): Promise<Table<unknown>>;
  /** The objects' metadata alone. */
  listMetadata(options?: ListOptions<R['fields']>): Promise<List<PartialObject<R['scope']>>>;
  /**
   * Every change, once and in its order, for as long as it is read: a connection that breaks, falls silent or is ended by the server is made again
   * from the last change or bookmark. Whoever reads slowly is waited for.
   * @throws ApiError 410 where the server no longer keeps what follows: list again, or use an informer, which does that; ApiError where the server refuses
   */
  watch(options?: WatchOptions<R['fields']>): AsyncGenerator<WatchEvent<Answer<R>>, never>;
  create(object: Written<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Replaces the object. With a resourceVersion only if it still has that; otherwise whatever it has become. */
  update(object: Named<Written<R['object']>>, options?: WriteOptions): Promise<Answer<R>>;
  /**
   * Reads the object, lets it be changed and updates it, again where somebody else has changed it meanwhile.
   * @param change changes the object, or returns another one
   */
  modify(name: string, change: (object: Answer<R>) => Named<Written<R['object']>> | undefined, options?: WriteOptions): Promise<Answer<R>>;
  /** RFC 6902 */
  jsonPatch(name: string, patch: readonly JsonPatchOperation[], options?: WriteOptions): Promise<Answer<R>>;
  /** RFC 7386 */
  mergePatch(name: string, patch: MergePatch<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Merges lists by the keys that the schema gives them. */
  strategicMergePatch(name: string, patch: StrategicMergePatch<R['object']>, options?: WriteOptions): Promise<Answer<R>>;
  /** Server-side apply: the field manager owns what it applies, and what it applied before and leaves out now goes. Creates the object where there is none. */
  apply(object: Named<R['apply']>, options?: ApplyOptions): Promise<Answer<R>>;
  /** @returns the object where it is still there, such as for its grace period or its finalizers; of some kinds always, as it was */
  delete(name: string, options?: DeleteOptions): Promise<Answer<R> | Status>;
  /** Deletes the objects that are selected; all where nothing is. */
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

/** Those that need two verbs. */
type JoinedMethod<V extends Verb> = ['get', 'update'] extends [Extract<V, 'get'>, Extract<V, 'update'>] ? 'modify' : never;

type MethodName<R extends { verbs: Verb; strategic: boolean }> =
  | Exclude<MethodNames[R['verbs']], R['strategic'] extends true ? never : 'strategicMergePatch'>
  | JoinedMethod<R['verbs']>;

/** Objects of one namespace, or of a resource that has none. */
export type ResourceClient<R extends ResourceTypes> = Pick<Methods<R>, MethodName<R>> & ResourcePlace<R>;

/** Objects of all namespaces. */
export type NamespacesClient<R extends ResourceTypes> = Pick<Methods<R>, MethodName<R> & (MethodNames['list'] | 'watch')> &
  ResourcePlace<R> & {
    /** The objects of one namespace; without a name of the client's own. */
    in(namespace?: string): ResourceClient<R>;
  };

/** Where requests go. */
export interface ResourcePlace<R extends ResourceTypes> {
  readonly resource: Resource<R>;
  /** undefined for all of them, and for a resource that has none */
  readonly namespace: string | undefined;
  /** Parts of objects, such as their `status`, and what is done to them, such as an `eviction`. */
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
  /** @param name of the object that it is done to */
  create(name: string, object: Written<S['object']>, options?: WriteOptions): Promise<S['answer']>;
}

/** The client of a resource: of all namespaces where it has some. */
export type ClientOf<R extends ResourceTypes> = R['scope'] extends 'Namespaced' ? NamespacesClient<R> : ResourceClient<R>;
