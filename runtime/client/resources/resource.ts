/** How generated code describes a resource: by a few texts at run time, and by types. */
import type { AnyObject, Scope } from '../objects/object.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Types of the objects that a resource's requests send and get. */
export interface ObjectTypes {
  /** an object of the server */
  object: AnyObject;
  /** an object as a field manager applies it */
  apply: object;
  scope: Scope;
  verbs: Verb;
  /** fields by which the server selects objects */
  fields: string;
  /** whether the server stores objects; otherwise it only answers them, as it does reviews */
  stored: boolean;
  /** whether the server takes strategic merge patches; it does not for custom resources */
  strategic: boolean;
}

export interface ResourceTypes extends ObjectTypes {
  subresources: { readonly [name: string]: SubresourceTypes };
  /** subresources that are connections, such as `exec`; separate functions make them */
  connections: string;
}

/** A subresource: a part of an object, such as its status, or an action, such as an eviction. */
export interface SubresourceTypes {
  object: AnyObject;
  apply: object;
  verbs: Verb;
  stored: boolean;
  strategic: boolean;
  /** what a create answers */
  answer: object;
}

/** One resource of one version. `R` exists only in types. */
export interface Resource<R extends ResourceTypes = ResourceTypes> {
  /** '' for the core group; may hold a placeholder such as `${groupDomain}`, which the client's dialect fills */
  readonly group: string;
  readonly version: string;
  /** in URLs, such as `pods` */
  readonly name: string;
  readonly kind: string;
  readonly scope: R['scope'];
  /** kinds of subresources that are of another version than the resource, by name */
  readonly subresources?: { readonly [name: string]: SubresourceKind };
  readonly types?: R;
}

export interface SubresourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
