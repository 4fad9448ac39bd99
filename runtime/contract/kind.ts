/**
 * What a generated group version states about its resources and kinds. Texts may contain identity placeholders (`${groupDomain}`, `${labelDomain}` …), which the
 * registry resolves for its dialect.
 */

import type { StructType } from './descriptor.ts';
import type { FieldError } from './field-error.ts';
import type { HandlerName } from './handlers.ts';
import type { RuleContext } from './kind-rules.ts';
import type { ApiObject } from './object.ts';
import type { OpenapiSource } from './openapi-source.ts';
import type { TableData } from './table.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Formats of object names; each is a named check of 1.32. */
export type NameFormat = 'dnsSubdomain' | 'dnsLabel' | 'dns1035Label' | 'pathSegment';

/** The releases, such as `1.22`, in which a kind began, was deprecated and was removed. A member is absent if that has not been announced. */
export interface Lifecycle {
  readonly introduced: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

export interface SubresourceData {
  readonly name: string;
  readonly kind: string;
  /** the group of the kind; absent for that of the resource */
  readonly group?: string;
  /** the version of the kind; absent for that of the resource */
  readonly version?: string;
  readonly verbs: readonly Verb[];
  /** the feature gate without which the subresource is not served; absent if it does not depend on one */
  readonly featureGate?: string;
  /** dotted paths in the object of the resource, for the subresource `scale`; absent for others */
  readonly scale?: {
    readonly specReplicas: string;
    readonly statusReplicas: string;
    readonly selector: string;
    readonly selectorIsMap?: boolean;
    /** whether the error for an absent object names `<resource>/scale` as what was not found; otherwise it names the object's resource */
    readonly ownNotFound?: boolean;
    /** the table of the Scale; absent for that of the kind Scale */
    readonly table?: TableData;
  };
  /**
   * for a kind that shows members of the object of the resource: its own members by name, each with the dotted path at which it stands in that object; absent for
   * others
   */
  readonly shows?: Readonly<Record<string, string>>;
  /** the hand-written handler, for subresources that are neither `status` nor `scale` */
  readonly handler?: HandlerName;
  /**
   * dotted paths that a write through the subresource does not change, so that its writer does not own them; absent for `spec` of `status`, and otherwise for
   * none
   */
  readonly resetFields?: readonly string[];
  /** the only dotted paths that such a write changes, with `*` for every element of a list; absent for all but `resetFields` */
  readonly ownedFields?: readonly string[];
}

/** What no part of this server acts on: all objects of a resource, or the members that have certain names at any depth, or certain dotted paths. */
export type NotEnforced = 'objects' | { readonly members: readonly string[]; readonly paths: readonly string[] };

export type StatusHandling = 'reset' | 'always' | 'keep';

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
    /** the group version and kind that an emulated release stores its objects as, where that is not the hub */
    readonly writtenAs?: { readonly group: string; readonly version: string; readonly kind: string };
    /** the version whose JSON stands in etcd, whatever `--storage-media-type` says; absent: the stored version, in the form that the flag names */
    readonly jsonInEtcd?: string;
  };
  readonly handler?: HandlerName;
  readonly nameFormat: NameFormat;
  /** true: findings of the kind's constraints at `metadata.name` count as findings of the name's format, and are reported with those */
  readonly constrainedName?: true;
  /**
   * Members whose change counts `metadata.generation` up, such as `spec`, `metadata.annotations`. `*`: all but the metadata, and but the status where it is a
   * subresource. Empty: the generation is not counted, and kept as a create sends it.
   */
  readonly generation: readonly string[];
  /** whether an empty list or map in them counts as a change wherever a client sends one, as 1.32 compares some kinds; absent: empty and absent are the same */
  readonly generationSeesEmpty?: true;
  /** members in which rules about changes see an empty list or map that a client sends, as 1.32 compares them; absent: in none */
  readonly changesSeeEmpty?: readonly string[];
  /** whether rules about the object see empty lists and maps that a client sends in lists of structs, as those of 1.32 do; absent: they see none */
  readonly rulesSeeEmpty?: true;
  /** what a create does with the client's `status`; `reset` counts only where there is a subresource `status`, `always` also where there is none */
  readonly statusOnCreate: StatusHandling;
  /** what an update of the whole object does with the client's `status`: sets the stored one back, or keeps it; the words are those of `statusOnCreate` */
  readonly statusOnUpdate: StatusHandling;
  /**
   * Whether 1.32 reads this resource from a watch cache. Without one, a page limit counts at resourceVersion 0 too, and a resourceVersion of the future is
   * refused at once.
   */
  readonly watchCache: boolean;
  /**
   * Which checks of an update's metadata the rules of the kind repeat in 1.32, so that answers list a finding twice: that the update may change the metadata
   * (`update`), that the metadata are right (`object`).
   */
  readonly metadataChecks: readonly ('object' | 'update')[];
  /** false: finalizers without a slash may have any name; absent: only the names of a short list */
  readonly qualifiedFinalizers?: false;
  /** how a name is made of generateName: it is the name, or a random end is added */
  readonly generatedNames: 'verbatim' | 'random';
  /** PUT to a name that does not exist creates */
  readonly putCreates: boolean;
  /** PUT without a resourceVersion overwrites */
  readonly unconditionalUpdate: boolean;
  readonly deleteAnswers: 'status' | 'object';
  /**
   * What happens to dependents where a delete does not say it. Absent: the garbage collector deletes them (Background). `Unsupported`: the objects have no part
   * in garbage collection, whatever a delete says.
   */
  readonly defaultPropagation?: 'Orphan' | 'Unsupported';
  /**
   * By which objects no write of this resource is admitted. Whoever has written a policy or a webhook that refuses everything mends it all the same; and
   * without the answers of reviews nothing works. Absent: its writes are admitted by both.
   */
  readonly unseenBy?: readonly ('policies' | 'webhooks')[];
  /** What asks for protection that nothing here gives: its writer is warned. Absent: nothing does. */
  readonly notEnforced?: NotEnforced;
  /** true: objects are removed some time after their last write (--event-ttl) */
  readonly expires?: true;
  /** paths that a field selector may use, besides metadata.name and metadata.namespace */
  readonly selectableFields: readonly string[];
  /** the error for any other field, with `{field}` for its path; absent: the error of most kinds */
  readonly unselectableField?: string;
  /**
   * True for a resource of a custom resource definition. There 1.32 words errors of unknown paths and verbs differently, and warns of finalizers without a
   * domain.
   */
  readonly isDefined?: true;
  /** True while its definition is being deleted. As in 1.32, nothing is created then. Objects may be patched and updated, but discovery lists neither verb. */
  readonly isTerminating?: true;
  /** older names of selectable fields */
  readonly selectableAliases?: Readonly<Record<string, string>>;
  /**
   * The selectable fields that are indexed: clients ask for them when they want few objects of many. Resources of definitions have none, because a definition
   * may change the path of a field, while the index would have values of the older path.
   */
  readonly indexedFields?: readonly string[];
  /**
   * dotted paths that a write of the object itself does not change, so that its writer does not come to own them; absent: `status` where it is a subresource
   */
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
  /** served unless --runtime-config says otherwise */
  readonly enabledByDefault: boolean;
  /**
   * True where its kinds are stated in the way of custom resource definitions. Each version then has constraints, columns and selectable fields of its own, and
   * a conversion changes nothing but the name of the version.
   */
  readonly structural?: true;
  readonly resources: readonly ResourceData[];
  /** names of resources and subresources, such as `pods/resize`, that are not in `resources` because their feature gate is off; absent in generated data */
  readonly hidden?: readonly string[];
  readonly load: () => Promise<GroupVersionModule>;
  /** the OpenAPI v3 document as JSON text, in generated data with placeholders */
  readonly loadOpenapi: () => Promise<string>;
  /** the parts of its OpenAPI v3 document, where that is not a generated one: `loadOpenapi` is not called then */
  readonly openapiSources?: readonly OpenapiSource[];
}

/** The large part of a group version, which is loaded when one of its kinds is first needed. */
export interface GroupVersionModule {
  readonly kinds: Readonly<Record<string, KindData>>;
}

export interface KindData {
  readonly type: StructType;
  /** an unsigned number of 32 bits that changes whenever the stored form of this kind may have changed */
  readonly schemaHash: number;
  readonly lifecycle: Lifecycle;
  /** the warning of a version that its definition calls deprecated */
  readonly deprecation?: string;
  readonly list?: string;
  /** absent if the schema constrains nothing */
  readonly validators?: KindValidators;
  readonly table?: TableData;
  /** whether making `table` or its cells takes long, so that `table` may be read only on a thread for long work; default false */
  readonly hasLongTable?: boolean;
  /** the conversion to the hub; absent for the hub itself */
  readonly conversion?: ConversionData;
  /** the hand-written rules, as a path in `runtime/kinds/` without extension, such as `core/pods/pod` */
  readonly rules?: string;
}

/**
 * Checks a value by the constraints of its type. Adds findings to `out`, with paths that begin at the value (`.name`, `[0]`, '' for the value itself). Changes
 * neither value, and allocates nothing for a valid one.
 * @param old the stored value; undefined where there is none
 * @param scope what the `ScopeMaker` of an enclosing struct has made; undefined for an object
 */
// biome-ignore lint/suspicious/noExplicitAny: the machinery knows no kinds; rules get the types that the schema gives them
export type Validator = (value: any, old: any, context: RuleContext, scope: unknown, out: FieldError[]) => void;

/**
 * A constraint that a schema cannot state: the schema names this function in its place. Paths of its findings begin at the value.
 * @param old the stored value; undefined where there is none
 * @param scope what the `ScopeMaker` of an enclosing struct has made
 */
// biome-ignore lint/suspicious/noExplicitAny: scopes have types of their own, which rules name
export type Rule<T, S = any> = (value: T, old: T | undefined, context: RuleContext, scope: S) => readonly FieldError[];

/**
 * Says whether a value is valid. The schema states the finding for a value that is not, and its path.
 * @param old the stored value, for constraints that only updates have; otherwise undefined
 * @param scope what the `ScopeMaker` of an enclosing struct has made
 * @param holder the struct that has the value
 */
// biome-ignore lint/suspicious/noExplicitAny: scopes have types of their own, which rules name
export type Predicate<T, H, S = any> = (value: T, old: T | undefined, context: RuleContext, scope: S, holder: H) => boolean;

/** Makes the scope of a struct: what the rules of its members need to know of it. @param outer the scope of an enclosing struct */
// biome-ignore lint/suspicious/noExplicitAny: see `Rule`
export type ScopeMaker<T, S = any> = (value: T, old: T | undefined, context: RuleContext, outer: any) => S;

/** The validators of a kind. A member is absent if there are no such constraints. */
export interface KindValidators {
  /** validates the object in creates and updates */
  readonly object?: Validator;
  /** validates what changed, additionally in updates */
  readonly changes?: Validator;
  /** validates the object in updates of its status */
  readonly status?: Validator;
  /** Whether the constraints may take more than a few milliseconds even for a short object; called when one is written. */
  isMuchWork?(): boolean;
}

/** One step of a conversion from a version to its hub; the step back is derived. Paths are dotted and relative to the object. */
export type ConversionStep =
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'mapValues'; readonly path: string; readonly values: Readonly<Record<string, string>> }
  | { readonly op: 'default'; readonly path: string; readonly value: unknown }
  /** keeps in an annotation, as JSON, what the older version has no member for */
  | { readonly op: 'keepInAnnotation'; readonly path: string; readonly annotation: string };

export interface ConversionData {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly steps: readonly ConversionStep[];
  /** names a hand-written pair of functions for what steps cannot do; they run after the steps towards the hub, and before the steps back */
  readonly function?: string;
  /** true for a version of an earlier release: members of the hub that it lacks get the hub's defaults */
  readonly completes?: true;
}

/** A hand-written conversion. Both functions may change their argument and return it. */
export interface ConversionFunctions {
  toHub(object: ApiObject): ApiObject;
  fromHub(object: ApiObject): ApiObject;
}
