/** What the hand-written rules of a kind may do, and what they may ask the server. */
import type { Allocator } from './allocation.ts';
import type { FieldError } from './field-error.ts';
import type { ApiObject } from './object.ts';
import type { RequestContext } from './request-context.ts';
import type { TableRowCondition } from './table.ts';
import type { WriteAccess } from './write-access.ts';

/** What rules may ask the server. */
export interface RuleContext {
  /** resolves identity placeholders */
  text(template: string): string;
  /** milliseconds since 1970 */
  now(): number;
  readonly dryRun: boolean;
  /** the request that the rules work for */
  readonly request: RequestContext;
  /** allocates addresses and ports of services in the configured ranges; `afterFailure` gives them back if the write fails */
  readonly allocator: Allocator;
  /**
   * Returns the object as the client sent it, or as a patch made it: a JSON value in the kind's own version. Absent, or returns undefined, if there was no
   * text.
   */
  readonly sent?: () => unknown;
  /** See `UpdateContext`; absent in requests that are no updates. */
  changeText?<T>(path: string, old: unknown, now: (member: T) => unknown): string;
  /** whether containers may be privileged (--allow-privileged) */
  readonly allowsPrivileged: boolean;
  /** whether the error for a rule that may cost too much names the costly part and the bound that is missing (--explain-rule-costs) */
  readonly explainsCosts: boolean;
  featureEnabled(gate: string): boolean;
  /** Increases a counter by the name of its metric; absent if nobody counts. @param labels each of which may have only a few values */
  count?(metric: string, labels: Readonly<Record<string, string>>): void;
  /** Returns the histogram of a metric without labels; absent if nobody counts. */
  distribution?(metric: string): { observe(value: number): void };
  /** Tells why a JSON value cannot be the metadata of an object; undefined if it can. */
  metadataProblem(value: unknown): string | undefined;
}

/** What rules may ask while they examine a change. */
export interface UpdateContext extends RuleContext {
  /**
   * The difference of a member of the object and its old value, as text of several lines.
   * @param path in the kind's type, such as `spec`; an inline struct has its protobuf name, and `[]` at the end stands for an element
   * @param now picks what is shown of the member, which it gets as the writer spelled it; `T` is the member's generated type
   */
  changeText<T>(path: string, old: unknown, now: (member: T) => unknown): string;
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** What a delete requests to happen to dependents. Both members are absent for the default of the resource. */
export interface DeletionOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
}

/** A part of an object that has a subresource of its own, such as the ephemeral containers of a pod. */
export interface PartRules<K = ApiObject> {
  /** Copies the part, and nothing else, from the object that the client sent. @param object a copy of the stored object, which is changed */
  take(object: K, sent: K, context: RuleContext): void;
  /** Validates a change of the part, in addition to the validation of the whole object. */
  validateUpdate(object: K, old: K, context: UpdateContext): readonly FieldError[];
}

/**
 * The behaviour of a kind that schemas cannot state: one file for each kind, every member optional. The functions get objects of the stored version, except
 * `defaults`, which gets objects of the version that names the file. They may change `object`, never `old`.
 * `K` is the generated type of the kind, such as `Deployment`.
 */
export interface KindRules<K = ApiObject> {
  /** Sets defaults that the schema cannot state, after those that it states. Runs on every decoded object, stored ones too: has to be cheap and idempotent. */
  defaults?(object: K, gates: Pick<RuleContext, 'featureEnabled'>): void;
  /** Why 1.32 could not convert the object to its internal form: the body is refused as one that cannot be read. Undefined: it could. */
  conversionProblem?(object: K): string | undefined;
  /**
   * Adds what an earlier release meant when it stored an object without members of today. Runs on objects that were stored under another schema: has to be
   * idempotent.
   */
  completeStored?(object: K, gates: Pick<RuleContext, 'featureEnabled'>): void;
  /**
   * Checks that the writer has the rights that this object needs. Runs after mutating admission. `old` is undefined for a new object.
   * @throws StatusError Forbidden, NotFound
   */
  authorizeWrite?(object: K, old: K | undefined, access: WriteAccess): Promise<void>;
  /** `authorizeWrite` of kinds that ask for rights only where the object is valid, before validating admission sees it. @throws StatusError Invalid */
  authorizeValid?(object: K, old: K | undefined, access: WriteAccess): Promise<void>;
  prepareForCreate?(object: K, context: RuleContext): void | Promise<void>;
  prepareForUpdate?(object: K, old: K, context: RuleContext): void | Promise<void>;
  prepareForStatusUpdate?(object: K, old: K, context: RuleContext): void;
  /** Validates the whole object in creates and updates. @param old the stored object; undefined for a new one */
  validate?(object: K, context: RuleContext, old?: K): readonly FieldError[];
  /** Validates a new object, in addition to `validate`. */
  validateCreate?(object: K, context: RuleContext): readonly FieldError[];
  /** Validates a change, in addition to `validate`. */
  validateUpdate?(object: K, old: K, context: UpdateContext): readonly FieldError[];
  /** true if the findings of `validateUpdate` come before those of `validate`; in most kinds of 1.32 they come after those */
  readonly changesFirst?: boolean;
  validateStatusUpdate?(object: K, old: K, context: RuleContext): readonly FieldError[];
  /** the rules of parts with subresources of their own, by the names of these, which are not `status` and have neither `scale` nor a handler */
  readonly parts?: Readonly<Record<string, PartRules<K>>>;
  /** Returns warnings for the writer of a valid object; `old` is undefined for a new one. */
  warnings?(object: K, old: K | undefined, context: RuleContext): readonly string[];
  /** Returns warnings for the client of a delete, before anything is looked up. */
  deletionWarnings?(options: DeletionOptions): string[];
  /**
   * Seconds that a deletion waits for, where the kind has graceful deletion; 0 deletes at once.
   * @param requested gracePeriodSeconds of the request, not negative; undefined when it has none
   */
  gracePeriodSeconds?(object: K, requested: bigint | undefined): bigint;
  /** Marks an object whose deletion begins; deletionTimestamp is set. Where a kind has this, the first delete only marks the object. */
  prepareForDeletion?(object: K): void;
  /** Tells why a single delete of this object is refused to everybody; undefined if it is not refused. */
  refusesDeletion?(name: string): string | undefined;
  /** Tells whether something besides metadata.finalizers keeps an object that is being deleted. */
  holdsDeletion?(object: K): boolean;
  /** Runs after an update was stored, or has removed the object: gives back what the object no longer uses. */
  afterUpdate?(object: K, old: K, context: RuleContext): Promise<void>;
  /** Runs when a write was refused or failed: gives back what `prepareForCreate` or `prepareForUpdate` took. `old` is undefined for a new object. */
  afterFailure?(object: K, old: K | undefined, context: RuleContext): Promise<void>;
  /** Runs after the object was removed from the store: gives back what it held. */
  afterDelete?(object: K, context: RuleContext): Promise<void>;
  /** Returns the value of a selectable field; undefined if that is simply the member at its path. */
  selectableField?(object: K, path: string): string | undefined;
  /**
   * Annotations in which the hub keeps fields of older versions. Rows of Tables and partial metadata do not show these annotations: 1.32 makes them of a form
   * that has the fields themselves.
   */
  readonly fieldAnnotations?: readonly string[];
  /** Compares objects for the order of the rows in a list's Table; absent for the order of the list. */
  compareRows?(a: K, b: K): number;
  /** Returns the conditions of an object's row in a Table; undefined if there are none. */
  rowConditions?(object: K): readonly TableRowCondition[] | undefined;
}

/** The rules of any kind, for code that knows no kinds. */
// biome-ignore lint/suspicious/noExplicitAny: each kind's rules have the type of the kind
export type AnyKindRules = KindRules<any>;
