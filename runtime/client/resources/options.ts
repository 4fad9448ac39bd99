/** What requests may say besides what they are about. */
import type { FieldSelector, LabelSelector } from '../objects/selectors.ts';

/** What every request may say. */
export interface RequestOptions {
  /** gives the request up, with its reason */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends RequestOptions {
  /** `0`: as some server has it; another one: not older than that; absent: the newest */
  readonly resourceVersion?: string;
}

export interface ListOptions<F extends string = string> extends RequestOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  /** as of `GetOptions` */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** objects at most; the list says how to go on */
  readonly limit?: number;
  /** of the list before this one */
  readonly continue?: string;
  /** seconds after which the server gives up */
  readonly timeoutSeconds?: number;
}

export interface PagesOptions<F extends string = string> extends Omit<ListOptions<F>, 'continue'> {
  /** objects of a page; default 500 */
  readonly limit?: number;
}

export interface TableOptions {
  /** what rows have of their objects; default `Metadata` */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
}

export interface WatchOptions<F extends string = string> extends RequestOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  /** changes after that version; absent: from now on */
  readonly resourceVersion?: string;
  /** milliseconds without a word of the server after which the connection counts as broken; default 150,000 */
  readonly idleTimeout?: number;
  /** told of what broke, before the watch goes on */
  readonly onInterrupted?: (error: unknown) => void;
}

/** What requests that change something may say. */
export interface WriteOptions extends RequestOptions {
  /** true: all checks are made, nothing is stored */
  readonly dryRun?: boolean;
  /** who owns what is written; default: that of the client */
  readonly fieldManager?: string;
  /** what becomes of unknown and duplicate fields; the server's default is `Warn` */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** takes fields that others own */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean;
  /** the object must have this uid, and this version */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** seconds that the object has to end; 0: none */
  readonly gracePeriodSeconds?: number;
  /** what becomes of the objects that it owns */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

export interface DeleteCollectionOptions<F extends string = string> extends DeleteOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}
