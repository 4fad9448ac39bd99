/** What admission looks at, and what it is asked. */

import type { ApiObject } from '../../contract/object.ts';
import { mayBeMoved, type RequestContext, type User } from '../../contract/request-context.ts';
import type { Kind } from '../../registry/kind.ts';
import type { Resource } from '../../registry/resource.ts';
import type { WriteCondition } from '../../registry/write-condition.ts';
import type { RawNumber } from '../../schema/scalar/raw-number.ts';

export type Operation = 'create' | 'update' | 'delete' | 'connect';

/** Options of a write or a delete, as its query and its body state them; what is absent was not stated. */
export interface OperationOptions {
  readonly dryRun: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  /** of an apply */
  readonly force?: boolean | undefined;
  /** of a delete: seconds */
  readonly gracePeriodSeconds?: number | RawNumber | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: true | undefined;
}

export interface AdmissionAttributes {
  readonly request: RequestContext;
  readonly user: User;
  readonly operation: Operation;
  /** in the version that the request speaks */
  readonly resource: Resource;
  readonly subresource: string;
  /** that the request speaks: of the object, or of what its subresource takes, such as Scale, Eviction or PodExecOptions */
  readonly kind: Kind;
  /** '' outside of namespaces */
  readonly namespace: string;
  /** '' where it is yet to be made of generateName, and of a collection */
  readonly name: string;
  /** of the hub, where there is one: the object as it is to be; of a connection its options; undefined when it is deleted */
  readonly object: ApiObject | undefined;
  /** of the hub: as it is stored; undefined where nothing is */
  readonly old: ApiObject | undefined;
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

/** As `mayBeMoved`, of a request that may be a connection, which cannot. */
export const canBeMoved = ({ request, operation }: Pick<AdmissionAttributes, 'request' | 'operation'>): boolean =>
  operation !== 'connect' && mayBeMoved(request);
