/** Options of requests. */
import type { FieldSelector, LabelSelector } from '../objects/selectors.ts';

/** Options of every request. */
export interface RequestOptions {
  /** ends the request with its reason */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends RequestOptions {
  /** `0` allows any state, another version any state that is not older; absent: the newest state */
  readonly resourceVersion?: string;
}

export interface ListOptions<F extends string = string> extends RequestOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  /** as of `GetOptions` */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** the most objects; the list then has a token for the next page */
  readonly limit?: number;
  /** the token of the page before this one */
  readonly continue?: string;
  /** seconds after which the server gives up */
  readonly timeoutSeconds?: number;
}

export interface PagesOptions<F extends string = string> extends Omit<ListOptions<F>, 'continue'> {
  /** objects per page; default 500 */
  readonly limit?: number;
}

export interface TableOptions {
  /** what rows contain of their objects; default `Metadata` */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
}

export interface WatchOptions<F extends string = string> extends RequestOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  /** the version after which changes are sent, neither '' nor `0`; absent: from now on */
  readonly resourceVersion?: string;
  /** milliseconds of silence after which the connection counts as broken; default 150,000 */
  readonly idleTimeout?: number;
  /** is called with the error of a broken connection before the watch goes on */
  readonly onInterrupted?: (error: unknown) => void;
}

/** Options of requests that change something. */
export interface WriteOptions extends RequestOptions {
  /** true makes all checks but stores nothing */
  readonly dryRun?: boolean;
  /** owner of the written fields; default: that of the client */
  readonly fieldManager?: string;
  /** how unknown and duplicate fields are handled; the server's default is `Warn` */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** true takes over fields that others own */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean;
  /** the object is deleted only if it has this uid and this version */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** seconds that the object has for its end; 0: it is deleted at once */
  readonly gracePeriodSeconds?: number;
  /** what happens to the objects that it owns */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

export interface DeleteCollectionOptions<F extends string = string> extends DeleteOptions {
  readonly labels?: LabelSelector | undefined;
  readonly fields?: FieldSelector<F> | undefined;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}
