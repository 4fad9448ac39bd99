/** What generated code says of a resource: a few texts at run time, everything else in types. */
import type { AnyObject, Scope } from '../objects/object.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Types of what a resource's requests send and get. */
export interface ObjectTypes {
  /** one object, as the server has it */
  object: AnyObject;
  /** one object, as a field manager applies it */
  apply: object;
  scope: Scope;
  verbs: Verb;
  /** fields by which the server selects objects */
  fields: string;
  /** whether the server keeps objects; others are questions that it answers */
  stored: boolean;
  /** whether the server takes strategic merge patches; it does not for custom resources */
  strategic: boolean;
}

export interface ResourceTypes extends ObjectTypes {
  subresources: { readonly [name: string]: SubresourceTypes };
  /** subresources that are connections, which functions of their own make, such as `exec` */
  connections: string;
}

/** A part of an object, such as its status, or something that is done to it, such as an eviction. */
export interface SubresourceTypes {
  object: AnyObject;
  apply: object;
  verbs: Verb;
  stored: boolean;
  strategic: boolean;
  /** what a create answers */
  answer: object;
}

/** One resource of one version. `R` is never there at run time. */
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
