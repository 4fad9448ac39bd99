/**
 * The model: all that the schemas state, resolved and complete, in the form from which every emitter writes.
 *
 * References between types are definition names, looked up in `Model.types`; so types may refer to each other in circles. Text may
 * hold identity placeholders (`${groupDomain}`, `${labelDomain}` …) that stay as they are. Nothing changes a model once it is built.
 */
import type { ConversionNotice } from '../../runtime/contract/conversion-notice.ts';
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import type { GoFieldForm, ScalarName } from '../../runtime/contract/descriptor.ts';
import type { FileKindData } from '../../runtime/contract/file-kind.ts';
import type { IdentityData } from '../../runtime/contract/identity.ts';
import type { ConversionData, Lifecycle, ResourceData } from '../../runtime/contract/kind.ts';
import type { TableData } from '../../runtime/contract/table.ts';
import type { Entry } from './constraints/entries.ts';
import type { Ended, Lifespan } from './lifespan.ts';

/** The API of one release. */
export interface Model extends ModelData {
  /** the release that it is of: one of `releases` */
  readonly release: string;
  /** what the schemas state of any release, each type, field and entry with its lifespan */
  readonly all: ModelData;
  /**
   * The whole API as another release had it. What has no lifespan has always been there, as far as the schemas say; conversions and storage
   * stay those of today.
   * @throws RangeError for a release that `releases` lacks
   */
  at(release: string): Model;
}

export interface ModelData {
  /** sorted by `folder` */
  readonly groupVersions: readonly GroupVersion[];
  /** every type of every group version, by definition name */
  readonly types: ReadonlyMap<string, NamedType>;
  readonly identity: IdentityData;
  /** oldest first */
  readonly releases: readonly Release[];
  /** name of the release whose behaviour this tree has: one of `releases`, later ones may be known already */
  readonly currentRelease: string;
  /** name of the oldest one of which the schemas tell everything: one of `releases` */
  readonly oldestRelease: string;
  /** sorted by name */
  readonly featureGates: readonly FeatureGate[];
}

export interface GroupVersion extends Lifespan {
  /** empty for the core group; may hold a placeholder, such as `rbac.authorization.${groupDomain}` */
  readonly group: string;
  readonly version: string;
  /** path below `schemas/` and `generated/`, such as `apps/v1` */
  readonly folder: string;
  /** what definition names begin with, such as `io.k8s.api.apps.v1` */
  readonly package: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly enabledByDefault: boolean;
  /** what was otherwise before, oldest first; absent in the API of one release */
  readonly before?: readonly (Ended & { readonly enabledByDefault?: boolean })[];
  /** its kinds are those of files that programs read and write: nothing is served, nothing has a protobuf form */
  readonly files: boolean;
  /**
   * Its kinds are stated as definitions of custom resources state theirs, and answer as custom resources do: nothing has a protobuf form. Its types
   * are the kinds alone; absent: it is none of these.
   */
  readonly structural?: readonly StructuralKind[];
  /** path of the OpenAPI document from the root of the tree, with slashes */
  readonly source: string;
  /** in the order of the schema; each member stated, defaults included; empty where nothing is served */
  readonly resources: readonly ResourceModel[];
  /** in the order of the schema */
  readonly types: readonly NamedType[];
}

/** A kind with the schema of its objects. */
export interface StructuralKind {
  readonly name: string;
  /** structural, without references, as `openAPIV3Schema` of a definition */
  readonly schema: JsonSchema;
  /** warning for users of a deprecated version, if it is not the usual one */
  readonly warning?: string;
}

export type ResourceModel = ResourceData & Lifespan;

export type NamedType = StructModel | NamedScalar;

/** A kind without a lifespan has that of its lifecycle; any other type is there for what refers to it. */
interface Named extends Lifespan {
  /** as in the schema, such as `PodSpec` */
  readonly name: string;
  /** such as `io.k8s.api.core.v1.PodSpec`; unique */
  readonly definition: string;
  /** of its group version */
  readonly folder: string;
  readonly description?: string;
  /** where its schema is stated, if that is in another version's document, to which its own refers */
  readonly statedAt?: { readonly file: string; readonly path: string };
}

/** A type of its own whose JSON form is a single value, such as `Time` or `Quantity`. */
export interface NamedScalar extends Named {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** of a union: name of its struct, in the same group version */
  readonly struct?: string;
  /** JSON type and format as published; `type` is absent where any value is accepted */
  readonly type?: JsonType;
  readonly format?: string;
}

export interface StructModel extends Named {
  readonly kind: 'struct';
  /**
   * In the order in which members are written to JSON. A top-level kind begins with `kind` and `apiVersion`, marked `typeMeta`; an inline
   * struct is one field, marked `inline`, and its members stand in this type's JSON object.
   */
  readonly fields: readonly FieldModel[];
  /** a whole value, published */
  readonly example?: unknown;
  /** names of the required members, as published and in that order */
  readonly required: readonly string[];
  /** a kind with `apiVersion` and `kind`, of its own or as a member of a list or a request */
  readonly topLevel: boolean;
  readonly lifecycle?: Lifecycle;
  /** of a kind that has one: name of its list kind in the same group version */
  readonly list?: string;
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly unknown[];
  /** those that the schema states beside its properties, which come after theirs; empty where there are none */
  readonly defaults: readonly (DefaultRule & Lifespan)[];
  /** false: never in protobuf; its fields have no numbers */
  readonly protobuf: boolean;
  /** protobuf numbers and names that no field may have any more */
  readonly reserved: readonly ReservedItem[];
  /** order of what is constrained, and constraints of several members together; see `constraints/entries.ts` */
  readonly validations?: readonly Entry[];
  /** of a kind: on updates each finding of the object comes twice, as in 1.32, the second time before those of changes or last */
  readonly validatedTwice?: true | 'last';
  /** names the function that makes the scope of rules within, as `<file below runtime/kinds>#<export>` */
  readonly scope?: string;
  readonly table?: TableData;
  readonly conversion?: ConversionData;
  /** what the schema answers for where the versions differ */
  readonly conversionNotes?: ConversionNotes;
  /** what people are told whose objects of this kind are converted */
  readonly conversionNotice?: string;
  /** names the hand-written rules, such as `core/pod` */
  readonly rules?: string;
  /** what is particular about files of this kind */
  readonly file?: Omit<FileKindData, 'name' | 'hubGroup'>;
}

/** Paths are dotted and leave out lists and maps. Each stands for the member and for everything below it. */
export interface ConversionNotes {
  /** what the hand-written function converts, by its path in the one version or the other */
  readonly converts: readonly string[];
  /** what is lost, and why that is right */
  readonly loses: readonly { readonly path: string; readonly reason: string }[];
}

/** a name, or the first and the last of a range of numbers */
export type ReservedItem = string | readonly [number, number];

export interface FieldModel extends Lifespan {
  /** JSON name; of an inline field its protobuf name */
  readonly name: string;
  readonly description?: string;
  readonly type: TypeUse;
  /** protobuf field number */
  readonly number?: number;
  /** the forms that it had before, oldest first; absent in the API of one release */
  readonly before?: readonly (Ended & { readonly field: FieldModel })[];
  readonly pointer: boolean;
  readonly always: boolean;
  /** a list that is in protobuf a message with one repeated field of number 1 */
  readonly wrapped?: true;
  readonly inline: boolean;
  /** one of the `kind` and `apiVersion` that every top-level kind has; not stated by the schema, never in protobuf */
  readonly typeMeta: boolean;
  readonly required: boolean;
  /** a value, published */
  readonly example?: unknown;
  /** applied and published */
  readonly default?: unknown;
  /** applied, not published; at most one of the two defaults is set */
  readonly unpublishedDefault?: unknown;
  /** defaults that depend on other members, not published, in the order in which they are tried; absent or empty where there are none */
  readonly dependentDefaults?: readonly (DefaultRule & Lifespan)[];
  /** marks and keywords that constrain the field; `constraints/stated-entries.ts` gives them their order */
  readonly constraints?: JsonSchema;
  /** name by which findings report the field; absent: its own */
  readonly reported?: string;
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  readonly featureGate?: string;
  /** what a value becomes while the gate is off, instead of being dropped */
  readonly whileGated?: unknown;
  /** what stands within it stays, whatever gates it is behind */
  readonly ungated?: true;
  /** of metadata: annotations that nothing is to keep */
  readonly droppedAnnotations?: readonly string[];
  readonly go?: GoFieldForm;
  /** what people are told whose objects are converted from this version and have the field so */
  readonly conversionNotice?: Required<Pick<ConversionNotice, 'when' | 'text'>>;
}

/** The type of a field, of a list's elements or of a map's values. */
export type TypeUse = PrimitiveUse | ListUse | MapUse | NamedUse;

/** The marks that every use of a type may have. */
interface Use {
  /** absent: as the type has it */
  readonly ownership?: Ownership;
}

/** How what a value holds is owned, as published. */
export interface Ownership {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
}

/** How error messages name a type that has a name of its own. */
interface NamedForm extends Use {
  readonly typeName?: string;
}

export interface PrimitiveUse extends NamedForm {
  readonly kind: 'primitive';
  readonly scalar: ScalarName;
  /** absent: any JSON value */
  readonly type?: JsonType;
  /** as published, such as `int32`, `byte` */
  readonly format?: string;
  /** known values, published */
  readonly enum?: readonly string[];
  /** no other values are allowed, which the constraints of the type see to; others state their own */
  readonly closed?: boolean;
  /** known values of an open set; not published */
  readonly constants?: readonly string[];
  /** of those values that have not always been there, or are gone; absent in the API of one release */
  readonly lifespans?: Readonly<Record<string, Lifespan>>;
}

export interface ListUse extends NamedForm {
  readonly kind: 'list';
  readonly element: TypeUse;
}

export interface MapUse extends NamedForm {
  readonly kind: 'map';
  readonly value: TypeUse;
}

export interface NamedUse extends Use {
  readonly kind: 'named';
  /** a key of `Model.types` */
  readonly definition: string;
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** Constraint keywords of JSON Schema, such as `{ minimum: 0, maximum: 65535 }`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Release {
  /** such as "1.32" */
  readonly name: string;
  /** such as "2024-12-11" */
  readonly date: string;
}

export interface FeatureGate {
  readonly name: string;
  /** oldest first */
  readonly stages: readonly FeatureGateStage[];
}

export interface FeatureGateStage {
  readonly release: string;
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated';
  readonly default: boolean;
  /** cannot be set to anything but its default */
  readonly locked?: boolean;
}
