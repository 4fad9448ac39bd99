/** The types of the parts of stored custom resource definitions that serving them reads. */
import type { CustomSchema } from '../structural-schema/custom-schema.ts';
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
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
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

export function storedVersion({ spec }: CustomDefinition): CustomVersion {
  return spec.versions.find(({ storage }) => storage) as CustomVersion;
}

/** @throws Error for a version that the definition lacks */
export function versionOf({ spec }: CustomDefinition, version: string): CustomVersion {
  const found = spec.versions.find(({ name }) => name === version);
  if (found === undefined) throw new Error(`${spec.names.plural}.${spec.group} has no version ${version}`);
  return found;
}
