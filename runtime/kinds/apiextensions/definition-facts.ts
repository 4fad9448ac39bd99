import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../../generated/apiextensions/v1/types.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { deepEqual } from '../../schema/equal.ts';
import { someSchema } from '../../structural-schema/schema-walk.ts';
import { type Strictness, strictnessOfV1beta1 } from './strictness.ts';
import { strictnessAfter } from './strictness-after.ts';
import { isOfV1beta1 } from './written-version.ts';

/** Which parts of versions are meant. */
export interface Parts {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectable: boolean;
}

/** What rules of a definition know of the whole. */
export interface DefinitionFacts {
  readonly strictness: Strictness;
  /** parts that are the same in all versions */
  readonly shared: Parts;
  /** whether the status is a subresource of some version */
  readonly hasStatus: boolean;
  /** names of versions whose schemas are stored as they are */
  readonly unchanged: ReadonlySet<string>;
  /** the path of a version, such as `spec.versions[0]` */
  placeOf(version: CustomResourceDefinitionVersion): string;
}

export function facts(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { request }: RuleContext,
): DefinitionFacts {
  const versions = definition.spec.versions ?? [];
  const structural = needsStructure(definition.spec);
  return {
    strictness: old === undefined && isOfV1beta1(request) ? strictnessOfV1beta1(structural) : strictnessAfter(old, structural),
    shared: partsInCommon(versions),
    hasStatus: versions.some(({ subresources }) => subresources?.status !== undefined),
    unchanged: unchangedVersions(versions, old?.spec.versions ?? []),
    placeOf: (version) => `spec.versions[${versions.indexOf(version)}]`,
  };
}

function unchangedVersions(
  versions: readonly CustomResourceDefinitionVersion[],
  old: readonly CustomResourceDefinitionVersion[],
): ReadonlySet<string> {
  const isStored = ({ name, schema }: CustomResourceDefinitionVersion) =>
    old.some((before) => before.name === name && deepEqual(before.schema, schema));
  return new Set(versions.filter(isStored).map(({ name }) => name));
}

const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const;

/** Whether schemas must be structural, whatever they were before: else nothing could be dropped, and keywords and defaults would have no meaning. */
function needsStructure({ preserveUnknownFields, versions }: CustomResourceDefinitionSpec): boolean {
  return preserveUnknownFields !== true || hasDefaults(versions ?? []) || hasSchemaWith(versions ?? [], EXTENSIONS);
}

export const hasDefaults = (versions: readonly CustomResourceDefinitionVersion[]): boolean => hasSchemaWith(versions, ['default']);

function hasSchemaWith(versions: readonly CustomResourceDefinitionVersion[], keywords: readonly (keyof JSONSchemaProps)[]): boolean {
  return versions.some(({ schema }) => {
    const root = schema?.openAPIV3Schema;
    return root !== undefined && someSchema(root, (each) => keywords.some((keyword) => each[keyword] !== undefined));
  });
}

function partsInCommon(versions: readonly CustomResourceDefinitionVersion[]): Parts {
  const alike = (name: keyof CustomResourceDefinitionVersion) => versions.every((version) => deepEqual(version[name], versions[0]?.[name]));
  return {
    schema: alike('schema'),
    subresources: alike('subresources'),
    columns: alike('additionalPrinterColumns'),
    selectable: alike('selectableFields'),
  };
}
