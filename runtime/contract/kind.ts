/**
 * What a generated group version states about its resources and kinds, and what a kind's own hand-written rules may do.
 * Text may hold identity placeholders (`${groupDomain}`, `${labelDomain}` …): the registry resolves them for its dialect.
 */

import type { Allocator } from './allocation.ts';
import type { StructType } from './descriptor.ts';
import type { FieldError } from './field-error.ts';
import type { HandlerName } from './handlers.ts';
import type { ApiObject } from './object.ts';
import type { RequestContext } from './request-context.ts';
import type { TableData, TableRowCondition } from './table.ts';
import type { WriteAccess } from './write-access.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Rules for object names; each is a named check of 1.32. */
export type NameFormat = 'dnsSubdomain' | 'dnsLabel' | 'dns1035Label' | 'pathSegment';

/** Releases such as "1.22". */
export interface Lifecycle {
  readonly introduced: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

export interface SubresourceData {
  readonly name: string;
  readonly kind: string;
  /** absent: those of the resource */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly Verb[];
  /** served only while this feature gate is on */
  readonly featureGate?: string;
  /** of `scale`: dotted paths into the parent object */
  readonly scale?: {
    readonly specReplicas: string;
    readonly statusReplicas: string;
    readonly selector: string;
    readonly selectorIsMap?: boolean;
    /** a read of the Scale of an absent object says that there is no `<resource>/scale`; absent: that there is no such object */
    readonly ownNotFound?: boolean;
    /** of its Scale as a Table; absent: that of the kind Scale */
    readonly table?: TableData;
  };
  /** names the hand-written handler, for subresources that are neither `status` nor `scale` */
  readonly handler?: HandlerName;
  /** dotted paths that a write through the subresource does not change, so that nobody comes to own them by it; absent: `spec` for `status`, else none */
  readonly resetFields?: readonly string[];
  /** the only dotted paths that it does change, `*` for every element of a list; absent: all but `resetFields` */
  readonly ownedFields?: readonly string[];
}

/** All objects of a resource; or members of these names at any depth, and of these dotted paths. */
export type NotEnforced = 'objects' | { readonly members: readonly string[]; readonly paths: readonly string[] };

export interface ResourceData {
  readonly name: string;
  readonly kind: string;
  readonly singular: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** served only while this feature gate is on */
  readonly featureGate?: string;
  readonly subresources: readonly SubresourceData[];
  /** absent: a virtual resource, answered by the handler that `handler` names and never stored */
  readonly storage?: {
    /** key prefix, such as `pods` or `services/specs` */
    readonly prefix: string;
    /** group version and kind of the stored form, the hub of this kind's conversions */
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
  readonly handler?: HandlerName;
  readonly nameFormat: NameFormat;
  /** true: what the kind's constraints find at `metadata.name` is part of its names' format, and told with that */
  readonly constrainedName?: true;
  /** members whose change counts `metadata.generation` up, such as `spec`, `metadata.annotations`; `*`: all but metadata, and the status where it is a subresource; empty: not counted, kept as sent on create */
  readonly generation: readonly string[];
  /** a client's `status` on create: thrown away, or kept; only where there is a subresource `status` */
  readonly statusOnCreate: 'reset' | 'keep';
  /** a client's `status` on an update of the whole object: set back to the stored one, or kept; only where there is a subresource `status` */
  readonly statusOnUpdate: 'reset' | 'keep';
  /**
   * whether 1.32 has all reads of this resource go to its store: without a watch cache a page limit counts at resourceVersion 0, and a version
   * of the future is refused at once
   */
  readonly watchCache: boolean;
  /**
   * what the kind's own rules in 1.32 check of an update's metadata besides what is checked for all kinds, so that answers list a finding once
   * more: that the update may change it (`update`), that it is right (`object`)
   */
  readonly metadataChecks: readonly ('object' | 'update')[];
  /** false: finalizers without a slash may have any name; absent: those of a short list alone */
  readonly qualifiedFinalizers?: false;
  /** what is made of generateName: the name itself, or its beginning */
  readonly generatedNames: 'verbatim' | 'random';
  /** PUT to a name that does not exist creates */
  readonly putCreates: boolean;
  /** PUT without a resourceVersion overwrites */
  readonly unconditionalUpdate: boolean;
  readonly deleteAnswers: 'status' | 'object';
  /**
   * What a delete that says nothing does with dependents; absent: what the garbage collector does by itself (Background). `Unsupported`: the
   * objects have no part in garbage collection, whatever a delete says.
   */
  readonly defaultPropagation?: 'Orphan' | 'Unsupported';
  /**
   * What looks like protection here and is none, which whoever writes it is told.
   * Absent: nothing, or what it asks for is enforced.
   */
  readonly notEnforced?: NotEnforced;
  /** objects go some time after their last write (--event-ttl) */
  readonly expires?: true;
  /** paths besides metadata.name and metadata.namespace that a field selector may use */
  readonly selectableFields: readonly string[];
  /** what is said of any other field, `{field}` for its path; absent: what most kinds say */
  readonly unselectableField?: string;
  /**
   * Whether definitions have brought the resource: 1.32 answers what leads nowhere, and what it does not do, in other words there, and warns of
   * finalizers without a domain.
   */
  readonly isDefined?: true;
  /** Whether its definition is being deleted: nothing is created; objects may still be patched and updated, but discovery lists neither, as in 1.32. */
  readonly isTerminating?: true;
  /** older names of selectable fields */
  readonly selectableAliases?: Readonly<Record<string, string>>;
  /**
   * Those of them by which objects are found without looking at others: what clients ask for that want few of many. None of resources that
   * definitions bring: a definition may give any field any place, and what the store has posted of older objects would be of other fields.
   */
  readonly indexedFields?: readonly string[];
  /** dotted paths that a write of the object itself does not change, so that nobody comes to own them by it; absent: `status` where there is such a subresource */
  readonly resetFields?: readonly string[];
}

export interface GroupVersionData {
  readonly group: string;
  readonly version: string;
  /** path below `schemas/` and `generated/`, such as `apps/v1` */
  readonly folder: string;
  /** order of groups in discovery: higher first */
  readonly groupPriority: number;
  /** order of versions in a group: higher first */
  readonly versionPriority: number;
  /** served without being asked for by --runtime-config */
  readonly enabledByDefault: boolean;
  /**
   * Its kinds are stated as definitions of custom resources state theirs: each version has objects, constraints, columns and selectable fields of its
   * own, and another version is the same members under another name.
   */
  readonly structural?: true;
  readonly resources: readonly ResourceData[];
  /** names of resources and subresources, such as `pods/resize`, that a feature gate takes out of `resources`; absent in generated data */
  readonly hidden?: readonly string[];
  readonly load: () => Promise<GroupVersionModule>;
  /** the OpenAPI v3 document as JSON text, in generated data with placeholders */
  readonly loadOpenapi: () => Promise<string>;
  /** what its OpenAPI v3 document is put together of, where it is no generated one: `loadOpenapi` is not called then */
  readonly openapiSources?: readonly OpenapiSource[];
}

/** Tells of one resource in an OpenAPI v3 document. What is made of it is kept by this object. */
export interface OpenapiSource {
  /** gives the same at every call */
  readonly load: () => Promise<OpenapiPart>;
  /** another one where `load` gives something else */
  readonly hash: string;
}

/** All of it is plain JSON. Where several parts of a document have a member, they have the same there. */
export interface OpenapiPart {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  /** by definition name; one that all parts use is the same object in all of them */
  readonly schemas: Readonly<Record<string, object>>;
  /** whether it takes long to go through them */
  readonly isMuchWork?: boolean;
}

/** A group version whose kinds are those of files, such as configurations: nothing of it is served. */
export interface FileGroupVersionData {
  readonly group: string;
  readonly version: string;
  /** order of versions in a group: higher first */
  readonly versionPriority: number;
  readonly kinds: readonly FileKindData[];
  readonly load: () => Promise<GroupVersionModule>;
}

export interface FileKindData {
  /** in the schema */
  readonly name: string;
  /** as files spell it, with placeholders; absent: the name */
  readonly kind?: string;
  /** group of the newest version, where it is another */
  readonly hubGroup?: string;
  /** a file that says neither its kind nor its version is of this one */
  readonly unnamed?: boolean;
  /** members that the kind does not have are dropped, with a warning or without; absent: the file is refused */
  readonly unknownFields?: 'warn' | 'drop';
}

/** The heavy part of a group version: loaded when a kind of it is first asked for. */
export interface GroupVersionModule {
  readonly kinds: Readonly<Record<string, KindData>>;
}

export interface KindData {
  readonly type: StructType;
  /** changes whenever the stored form of this kind may change; 32 bits */
  readonly schemaHash: number;
  readonly lifecycle: Lifecycle;
  /** what is said of a version that its definition calls deprecated */
  readonly deprecation?: string;
  readonly list?: string;
  /** what the schema constrains; absent where that is nothing */
  readonly validators?: KindValidators;
  readonly table?: TableData;
  /** whether `table` takes long to be made, or its cells; default: no. Nobody asks for `table` then on a thread that others wait for */
  readonly hasLongTable?: boolean;
  /** absent on the hub itself */
  readonly conversion?: ConversionData;
  /** names the hand-written rules in `runtime/kinds/`, such as `core/pod` */
  readonly rules?: string;
}

/**
 * Holds a value against the constraints of its type. Adds what it finds to `out`, with paths that begin at the value (`.name`, `[0]`, ''
 * for the value itself). Nothing is allocated for what is right. It changes neither value.
 * @param old the stored value; undefined where there is none
 * @param scope what an enclosing struct has made for the rules in it; undefined for an object
 */
// biome-ignore lint/suspicious/noExplicitAny: the machinery knows no kinds; rules get the types that the schema gives them
export type Validator = (value: any, old: any, context: RuleContext, scope: unknown, out: FieldError[]) => void;

/**
 * A constraint that the schema cannot say: a function that the schema names at its place. Its findings have paths that begin at the value.
 * @param old the stored value; undefined where there is none
 * @param scope what an enclosing struct has made for the rules in it
 */
// biome-ignore lint/suspicious/noExplicitAny: scopes have types of their own, which rules name
export type Rule<T, S = any> = (value: T, old: T | undefined, context: RuleContext, scope: S) => readonly FieldError[];

/**
 * Says whether a value is right. What is found where it is not, and at which path, is stated by the schema.
 * @param old the stored value, of what is checked on updates alone; otherwise undefined
 * @param scope what an enclosing struct has made for the rules in it
 * @param holder the struct that has the value
 */
// biome-ignore lint/suspicious/noExplicitAny: scopes have types of their own, which rules name
export type Predicate<T, H, S = any> = (value: T, old: T | undefined, context: RuleContext, scope: S, holder: H) => boolean;

/** Makes what rules of a struct's parts need to know of the struct. @param outer the scope of an enclosing struct */
// biome-ignore lint/suspicious/noExplicitAny: see `Rule`
export type ScopeMaker<T, S = any> = (value: T, old: T | undefined, context: RuleContext, outer: any) => S;

/** What is constrained of a kind; each absent where that is nothing. */
export interface KindValidators {
  /** on creation and on updates */
  readonly object?: Validator;
  /** on updates besides */
  readonly changes?: Validator;
  /** on updates of the status */
  readonly status?: Validator;
  /** whether they may keep a thread for more than a few milliseconds although an object is short; asked when one is written */
  isMuchWork?(): boolean;
}

/** One declared step from a version to its hub; the way back is derived. Paths are dotted and relative to the object. */
export type ConversionStep =
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'mapValues'; readonly path: string; readonly values: Readonly<Record<string, string>> }
  | { readonly op: 'default'; readonly path: string; readonly value: unknown }
  /** what the older version cannot say is kept in this annotation, as JSON */
  | { readonly op: 'keepInAnnotation'; readonly path: string; readonly annotation: string };

export interface ConversionData {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly steps: readonly ConversionStep[];
  /** names a hand-written pair of functions for what steps cannot say; runs after the steps towards the hub, before them on the way back */
  readonly function?: string;
  /** members of the hub that this version lacks get the hub's defaults: it is of an earlier release */
  readonly completes?: true;
}

/** What hand-written conversions implement; both may change their argument and return it. */
export interface ConversionFunctions {
  toHub(object: ApiObject): ApiObject;
  fromHub(object: ApiObject): ApiObject;
}

/** What rules may ask of the server. */
export interface RuleContext {
  /** resolves identity placeholders */
  text(template: string): string;
  /** milliseconds since 1970 */
  now(): number;
  readonly dryRun: boolean;
  /** what the rules are asked for */
  readonly request: RequestContext;
  /** service addresses and ports of the configured ranges; released by the caller of the rules when the write fails */
  readonly allocator: Allocator;
  /** the object of the kind's own version as it was sent, or came out of a patch: a JSON value, read as it is; absent or undefined where there was no text */
  readonly sent?: () => unknown;
  /** as of `UpdateContext`; absent in other requests */
  changeText?<T>(path: string, old: unknown, now: (member: T) => unknown): string;
  /** containers may ask to be privileged */
  readonly allowsPrivileged: boolean;
  /** a rule that may cost too much is refused with the part of it that does, and the bound that is missing */
  readonly explainsCosts: boolean;
  featureEnabled(gate: string): boolean;
  /** Counts something under the name of a metric; absent: nobody counts. @param labels of few values each */
  count?(metric: string, labels: Readonly<Record<string, string>>): void;
  /** What takes values under the name of a metric without labels; absent: nobody counts. */
  distribution?(metric: string): { observe(value: number): void };
  /** why a JSON value cannot be the metadata of an object; undefined: it can */
  metadataProblem(value: unknown): string | undefined;
}

/** What rules may ask while they look at a change. */
export interface UpdateContext extends RuleContext {
  /**
   * Shows, on many lines, how a member of the object differs from what it was.
   * @param path in the kind's type, such as `spec`; an inline struct goes by its protobuf name, `[]` at the end stands for an element
   * @param now what is shown of the member, which comes as its writer spelled it; `T` is the member's generated type
   */
  changeText<T>(path: string, old: unknown, now: (member: T) => unknown): string;
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** What a deletion says of dependents; absent: the kind's default. */
export interface DeletionOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
}

/** A part of an object that a subresource of its own reads and changes, such as a pod's ephemeral containers. */
export interface PartRules<K = ApiObject> {
  /** Takes the part, and nothing else, from what the client sent. @param object a copy of the stored object; changed */
  take(object: K, sent: K, context: RuleContext): void;
  /** besides the validation of the whole object */
  validateUpdate(object: K, old: K, context: UpdateContext): readonly FieldError[];
}

/**
 * A kind's own behaviour, where the schema cannot state it: one file per kind, every member optional. The functions get objects of the
 * stored version, except `defaults`, which gets those of the version that names the file. They change `object` only, never `old`.
 * `K` is the generated type of the kind, such as `Deployment`.
 */
export interface KindRules<K = ApiObject> {
  /** defaults that the schema cannot state, after those that it does; runs on every decoded object, stored ones included: cheap, idempotent */
  defaults?(object: K): void;
  /** why 1.32 could not keep what a client sends as the form that it works with; undefined: it could. Such a body is refused as one that cannot be read. */
  conversionProblem?(object: K): string | undefined;
  /** what a release meant that stored an object without all members of today; runs on objects that were stored under another schema: idempotent */
  completeStored?(object: K): void;
  /**
   * Whether whoever sends an object may write just that; runs after mutating admission. `old` is absent for a new object.
   * @throws StatusError Forbidden, NotFound
   */
  authorizeWrite?(object: K, old: K | undefined, access: WriteAccess): Promise<void>;
  prepareForCreate?(object: K, context: RuleContext): void | Promise<void>;
  prepareForUpdate?(object: K, old: K, context: RuleContext): void | Promise<void>;
  prepareForStatusUpdate?(object: K, old: K, context: RuleContext): void;
  /** on create and update, of the whole object. @param old absent for a new one */
  validate?(object: K, context: RuleContext, old?: K): readonly FieldError[];
  /** on create besides `validate` */
  validateCreate?(object: K, context: RuleContext): readonly FieldError[];
  /** on update besides `validate` */
  validateUpdate?(object: K, old: K, context: UpdateContext): readonly FieldError[];
  /** findings of `validateUpdate` come before those of the whole object; most kinds in 1.32 report them after */
  readonly changesFirst?: boolean;
  validateStatusUpdate?(object: K, old: K, context: RuleContext): readonly FieldError[];
  /** by the names of subresources that have neither `scale` nor a handler and are not `status` */
  readonly parts?: Readonly<Record<string, PartRules<K>>>;
  /** what its writer is told of a valid object; `old` is absent for a new one */
  warnings?(object: K, old: K | undefined, context: RuleContext): readonly string[];
  /** of deletions, before anything is looked up */
  deletionWarnings?(options: DeletionOptions): string[];
  /**
   * Seconds that a deletion waits for, where the kind has graceful deletion; 0 deletes at once.
   * @param requested gracePeriodSeconds of the request, not negative; undefined when it has none
   */
  gracePeriodSeconds?(object: K, requested: bigint | undefined): bigint;
  /** marks an object whose deletion begins (deletionTimestamp is set): the first delete of a kind that has this only marks */
  prepareForDeletion?(object: K): void;
  /** why the object of this name is never deleted by itself; undefined: it may be */
  refusesDeletion?(name: string): string | undefined;
  /** true while something besides metadata.finalizers keeps a deleted object from going */
  holdsDeletion?(object: K): boolean;
  /** after a changed object is stored, or gone by the change: gives back what it no longer uses */
  afterUpdate?(object: K, old: K, context: RuleContext): Promise<void>;
  /** after `prepareForCreate` or `prepareForUpdate` when the write was refused or failed: gives back what they took. `old` is absent for a new object. */
  afterFailure?(object: K, old: K | undefined, context: RuleContext): Promise<void>;
  /** after the object is gone from the store: gives back what it held */
  afterDelete?(object: K, context: RuleContext): Promise<void>;
  /** value of a selectable field that is not simply the member at its path; undefined leaves it to the path */
  selectableField?(object: K, path: string): string | undefined;
  /**
   * annotations in which the hub keeps fields of older versions; rows of Tables and partial metadata, which 1.32 makes of a form that has
   * those fields, do not show them
   */
  readonly fieldAnnotations?: readonly string[];
  /** order of the rows of a Table that shows a list; absent: that of the list */
  compareRows?(a: K, b: K): number;
  /** what a table says of a row as a whole; undefined: nothing */
  rowConditions?(object: K): readonly TableRowCondition[] | undefined;
}

/** Rules as the machinery has them, which knows no kinds. */
// biome-ignore lint/suspicious/noExplicitAny: each kind's rules have the type of the kind
export type AnyKindRules = KindRules<any>;
