/** Custom resource definitions as they are stored: what serving them reads of it. */
import type { StructuralSchema } from '../schema/codec/codec.ts';
import type { CustomConversion } from './conversion/conversion-parts.ts';

export interface CustomDefinition {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: CustomNames;
    readonly versions: readonly CustomVersion[];
    readonly conversion?: CustomConversion;
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly acceptedNames?: CustomNames;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface CustomNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: CustomSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: CustomScale };
  readonly additionalPrinterColumns?: readonly CustomColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface CustomScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A schema with what it says of values, which validation reads. */
export interface CustomSchema extends StructuralSchema {
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, CustomSchema>>;
  readonly additionalProperties?: CustomSchema | boolean;
  readonly items?: CustomSchema;
  readonly allOf?: readonly CustomSchema[];
  readonly anyOf?: readonly CustomSchema[];
  readonly oneOf?: readonly CustomSchema[];
  readonly not?: CustomSchema;
}

export function storedVersion({ spec }: CustomDefinition): CustomVersion {
  return spec.versions.find(({ storage }) => storage) as CustomVersion;
}
