/**
 * The model has all that the schemas state, resolved and complete, in the form from which every emitter writes.
 *
 * References between types are definition names, looked up in `Model.types`, so types may refer to each other in circles. Texts may hold identity placeholders
 * (`${groupDomain}`, `${labelDomain}` …), which stay as they are. Nothing changes a model once it is built.
 */
import type { ConversionNotice } from '../../runtime/contract/conversion-notice.ts';
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import type { Gating, GoFieldForm, ScalarName } from '../../runtime/contract/descriptor.ts';
import type { FileKindData } from '../../runtime/contract/file-kind.ts';
import type { IdentityData } from '../../runtime/contract/identity.ts';
import type { ConversionData, Lifecycle, ResourceData } from '../../runtime/contract/kind.ts';
import type { TableData } from '../../runtime/contract/table.ts';
import type { Entry } from './constraints/entries.ts';
import type { Ended, Lifespan } from './lifespan.ts';

/** The API of one release. */
export interface Model extends ModelData {
  /** Name of the release that this is the API of: one of `releases`. */
  readonly release: string;
  /** What the schemas state of every release: each type, field and entry has its lifespan. */
  readonly all: ModelData;
  /**
   * The whole API as another release had it. What states no lifespan counts as having always been there. Conversions and storage stay those of today.
   * @throws RangeError for a release that `releases` lacks
   */
  at(release: string): Model;
}

/** The parts of a model, of one release or of all. */
export interface ModelData {
  /** Sorted by `folder`. */
  readonly groupVersions: readonly GroupVersion[];
  /** Every type of every group version, by definition name. */
  readonly types: ReadonlyMap<string, NamedType>;
  readonly identity: IdentityData;
  /** Oldest first. */
  readonly releases: readonly Release[];
  /** Name of the release whose behaviour this tree has: one of `releases`, which may know later ones already. */
  readonly currentRelease: string;
  /** Name of the oldest release of which the schemas state everything: one of `releases`. */
  readonly oldestRelease: string;
  /** Sorted by name. */
  readonly featureGates: readonly FeatureGate[];
}

/** A group version, with everything that its document states. */
export interface GroupVersion extends Lifespan {
  /** Empty for the core group; may hold a placeholder, as `rbac.authorization.${groupDomain}` does. */
  readonly group: string;
  readonly version: string;
  /** Path below `schemas/` and `generated/`, such as `apps/v1`. */
  readonly folder: string;
  /** What the definition names of its types begin with, such as `io.k8s.api.apps.v1`. */
  readonly package: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly enabledByDefault: boolean;
  /** What was different in earlier releases, oldest first; absent in the API of one release. */
  readonly before?: readonly (Ended & Partial<Pick<GroupVersion, 'enabledByDefault' | 'groupPriority'>>)[];
  /** Whether its kinds are those of files that programs read and write. Of these nothing is served and nothing has a protobuf form. */
  readonly files: boolean;
  /**
   * The kinds of a group version that states them as custom resource definitions state theirs. They answer as custom resources do, have no protobuf form, and
   * `types` has nothing but them and their lists. Absent for any other group version.
   */
  readonly structural?: readonly StructuralKind[];
  /** Path of the OpenAPI document from the root of the tree, with slashes. */
  readonly source: string;
  /** In the order of the schema, with each member stated, defaults included; [] if nothing is served. */
  readonly resources: readonly ResourceModel[];
  /** In the order of the schema. */
  readonly types: readonly NamedType[];
}

/** A kind with the schema of its objects. */
export interface StructuralKind {
  readonly name: string;
  /** A structural schema without references, as `openAPIV3Schema` of a definition has it. */
  readonly schema: JsonSchema;
  /** The warning for users of a deprecated version; absent if it is the usual one. */
  readonly warning?: string;
}

export type ResourceModel = ResourceData & Lifespan;

export type NamedType = StructModel | NamedScalar;

/** A kind that states no lifespan is there since its lifecycle introduced it; any other type is there for what refers to it. */
interface Named extends Lifespan {
  /** The name in the schema, such as `PodSpec`. */
  readonly name: string;
  /** The definition name, such as `io.k8s.api.core.v1.PodSpec`, which no other type has. */
  readonly definition: string;
  /** The folder of its group version. */
  readonly folder: string;
  readonly description?: string;
  /** The place where its schema is stated, if that is the document of another version, to which its own document refers; otherwise absent. */
  readonly statedAt?: { readonly file: string; readonly path: string };
}

/** A type with a name whose JSON form is a single value, such as `Time` or `Quantity`. */
export interface NamedScalar extends Named {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** For a union of a struct and another form: the name of the struct, which is in the same group version. */
  readonly struct?: string;
  /** JSON type and format as they are published; `type` is absent if any value is accepted. */
  readonly type?: JsonType;
  readonly format?: string;
}

/** A type with members: a kind, or a part of one. */
export interface StructModel extends Named {
  readonly kind: 'struct';
  /**
   * The fields in the order in which they are written to JSON. A top-level kind begins with `kind` and `apiVersion`, marked `typeMeta`. An inline struct is one
   * field, marked `inline`, whose members stand in this type's JSON object.
   */
  readonly fields: readonly FieldModel[];
  /** A whole value as an example, which is published. */
  readonly example?: unknown;
  /** Names of the required members, in the order in which they are published. */
  readonly required: readonly string[];
  /** Whether it is a kind with `apiVersion` and `kind`: that of objects, of lists or of requests. */
  readonly topLevel: boolean;
  readonly lifecycle?: Lifecycle;
  /** For a kind that has a list kind: its name, which is in the same group version. */
  readonly list?: string;
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly unknown[];
  /** The default rules that the schema states beside its properties. They run after those of the properties; [] if there are none. */
  readonly defaults: readonly (DefaultRule & Lifespan)[];
  /** If false, the type is never in protobuf, and its fields have no numbers. */
  readonly protobuf: boolean;
  /** Protobuf numbers and names that no field may have any more. */
  readonly reserved: readonly ReservedItem[];
  /** The order in which members are validated, and constraints of several members together; `constraints/entries.ts` has the form. */
  readonly validations?: readonly Entry[];
  /** For a kind: as in 1.32, an update reports what it finds in the object twice. The second time is before what it finds in the changes, or last. */
  readonly validatedTwice?: true | 'last';
  /** Names the function that makes the scope for rules within the type, as `<file below runtime/kinds>#<export>`. */
  readonly scope?: string;
  readonly table?: TableData;
  readonly conversion?: ConversionData;
  /** What the schema states about members that the two versions of a conversion do not share. */
  readonly conversionNotes?: ConversionNotes;
  /** A sentence for people whose objects of this kind are converted to another version. */
  readonly conversionNotice?: string;
  /** Names the hand-written rules of the kind, such as `core/pods/pod`. */
  readonly rules?: string;
  /** What is particular about files of this kind; absent if nothing is. */
  readonly file?: Omit<FileKindData, 'name' | 'hubGroup'>;
}

/** Paths are dotted and do not mention lists and maps. Each stands for the member and everything below it. */
export interface ConversionNotes {
  /** Paths of members that the hand-written function converts, in the one version or the other. */
  readonly converts: readonly string[];
  /** Paths of members that are lost, with the reason why that is right. */
  readonly loses: readonly { readonly path: string; readonly reason: string }[];
}

/** A name, or the first and the last number of a range. */
export type ReservedItem = string | readonly [number, number];

/** A member of a struct, or a struct that is inlined into it. */
export interface FieldModel extends Lifespan {
  /** The JSON name; for an inline field its protobuf name. */
  readonly name: string;
  readonly description?: string;
  readonly type: TypeUse;
  /** The protobuf field number; absent if the field is not in protobuf. */
  readonly number?: number;
  /** The forms that the field had in earlier releases, oldest first; absent in the API of one release. */
  readonly before?: readonly (Ended & { readonly field: FieldModel })[];
  /** Whether absent and zero are different values, as for a pointer of Go. */
  readonly pointer: boolean;
  /** Whether the member is written even if it has its zero value. */
  readonly always: boolean;
  /** The field is a list that protobuf has as a message with one repeated field, of number 1. */
  readonly wrapped?: true;
  /** Whether the members of the field's struct stand in the JSON object of the struct that has the field. */
  readonly inline: boolean;
  /** Whether it is one of the `kind` and `apiVersion` that every top-level kind has. Schemas do not state these, and they are never in protobuf. */
  readonly typeMeta: boolean;
  readonly required: boolean;
  /** A value as an example, which is published. */
  readonly example?: unknown;
  /** The default that is applied and published. */
  readonly default?: unknown;
  /** The default that is applied and not published; at most one of the two defaults is there. */
  readonly unpublishedDefault?: unknown;
  /** Defaults that depend on other members, in the order in which they are tried; none of them is published. Absent or empty if there are none. */
  readonly dependentDefaults?: readonly (DefaultRule & Lifespan)[];
  /** Marks and keywords that constrain the field; `constraints/stated-entries.ts` gives them their order. */
  readonly constraints?: JsonSchema;
  /** The name by which findings report the field; absent: its own. */
  readonly reported?: string;
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  readonly featureGate?: string;
  /** The value that the field gets while its gate is off, instead of being dropped. */
  readonly whileGated?: unknown;
  /** Whatever stands within the field stays, even if it is behind gates that are off. */
  readonly ungated?: true;
  readonly gating?: Gating;
  /** For metadata: names of annotations that are dropped from what is written. */
  readonly droppedAnnotations?: readonly string[];
  readonly go?: GoFieldForm;
  /** A sentence for people whose objects are converted from this version, and for which of these: where the field is set, empty or absent. */
  readonly conversionNotice?: Required<Pick<ConversionNotice, 'when' | 'text'>>;
}

/** The type of a field, of a list's elements or of a map's values. */
export type TypeUse = PrimitiveUse | ListUse | MapUse | NamedUse;

/** The marks that every use of a type may have. */
interface Use {
  /** Absent: the type itself says how its values are owned. */
  readonly ownership?: Ownership;
}

/** How server-side apply divides what a value holds among field managers, as it is published. */
export interface Ownership {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
}

/** How error messages name a type that has a name of its own, such as `v1.ResourceList`. */
interface NamedForm extends Use {
  readonly typeName?: string;
}

/** A value without a named type: a scalar, or any JSON value. */
export interface PrimitiveUse extends NamedForm {
  readonly kind: 'primitive';
  readonly scalar: ScalarName;
  /** Absent if any JSON value is allowed. */
  readonly type?: JsonType;
  /** The format as it is published, such as `int32` or `byte`. */
  readonly format?: string;
  /** Known values that are published. */
  readonly enum?: readonly string[];
  /** If true, no other values are allowed, and the constraints of the type check that. Otherwise a field states for itself which it allows. */
  readonly closed?: boolean;
  /** Known values that are not published. */
  readonly constants?: readonly string[];
  /** Lifespans of those of the known values that came later or are gone; absent in the API of one release. */
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
  /** A key of `Model.types`. */
  readonly definition: string;
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** Keywords of JSON Schema, such as `{ minimum: 0, maximum: 65535 }`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A release of the product. */
export interface Release {
  /** Such as "1.32". */
  readonly name: string;
  /** The day of the release, such as "2024-12-11". */
  readonly date: string;
}

/** A feature gate, with its default over time. */
export interface FeatureGate {
  readonly name: string;
  /** Oldest first. */
  readonly stages: readonly FeatureGateStage[];
}

/** What a gate is from a release on. */
export interface FeatureGateStage {
  readonly release: string;
  /** `Removed`: nobody can set it any more, and what stood behind it is as `default` says. */
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated' | 'Removed';
  readonly default: boolean;
  /** Whether the gate can be set to nothing but its default. */
  readonly locked?: boolean;
  /** Gates without which a server does not start while this one is on. */
  readonly requires?: readonly string[];
}
