/** What admission looks at, and what it is asked. */

import type { ApiObject } from '../../contract/object.ts';
import { mayBeMoved, type RequestContext, type User } from '../../contract/request-context.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { WriteCondition } from '../../registry/resource-store/write-condition.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { MemberPath } from '../../schema/emptied-members.ts';
import type { RawNumber } from '../../schema/scalar/raw-number.ts';

export type Operation = 'create' | 'update' | 'delete' | 'connect';

/** Options of a write or a delete, as its query and its body state them; what is absent was not stated. */
export interface OperationOptions {
  readonly dryRun: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  /** whether an apply takes fields from other owners; absent for other operations */
  readonly force?: boolean | undefined;
  /** the seconds of a delete's grace period; absent if the delete does not state it, and for other operations */
  readonly gracePeriodSeconds?: number | RawNumber | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: true | undefined;
}

/** Empty lists and maps of an object as it was sent, or as a webhook has made it, in the version of the request: all have null for them once it is stored. */
export interface SentEmpty {
  paths: readonly MemberPath[];
}

export interface AdmissionAttributes {
  readonly request: RequestContext;
  readonly user: User;
  readonly operation: Operation;
  /** the resource in the version of the request */
  readonly resource: Resource;
  /** empty for the object itself */
  readonly subresource: string;
  /** the kind in the request: that of the object, or that of the subresource's body, such as Scale, Eviction or PodExecOptions */
  readonly kind: Kind;
  /** empty for objects without a namespace */
  readonly namespace: string;
  /** empty for a collection, and if the name will be made from `generateName` */
  readonly name: string;
  /** the object as it will be, in the version of the hub if there is one; the options of a connection; undefined if it is deleted */
  readonly object: ApiObject | undefined;
  /** the object as it is stored, in the version of the hub; undefined if there is none */
  readonly old: ApiObject | undefined;
  /** absent: nothing is known of any */
  readonly sentEmpty?: SentEmpty;
  readonly options: OperationOptions;
}

/** Both phases of all plugins. Most writes wait for nothing in them: a promise would cost each of those several turns of the microtask queue. */
export interface Admission {
  /** May change `attributes.object`. @returns a promise where it waits for something. @throws StatusError; a promise rejects with it */
  mutate(attributes: AdmissionAttributes): Promise<void> | undefined;
  /**
   * @returns what it has counted on; undefined where nothing of that can change. A promise where it waits for something
   * @throws StatusError; a promise rejects with it
   */
  validate(attributes: AdmissionAttributes): WriteCondition | undefined | Promise<WriteCondition | undefined>;
  /** Ends connections that are kept. */
  close?(): void;
}

/** Does the same as `mayBeMoved` for a request that may be a connection, which cannot be moved. */
export const canBeMoved = ({ request, operation }: Pick<AdmissionAttributes, 'request' | 'operation'>): boolean =>
  operation !== 'connect' && mayBeMoved(request);
