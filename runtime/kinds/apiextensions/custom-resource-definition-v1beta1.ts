/** Definitions in v1beta1, in which what the versions have in common may stand once, beside them. */
import type * as v1 from '../../../generated/apiextensions/v1/types.ts';
import type * as v1beta1 from '../../../generated/apiextensions/v1beta1/types.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { deepEqual } from '../../schema/equal.ts';

export const rules: KindRules<v1beta1.CustomResourceDefinition> = {
  defaults({ spec }) {
    if ((spec.versions ?? []).length === 0 && spec.version) spec.versions = [onlyVersion(spec.version)];
    if (!spec.version && spec.versions?.[0] !== undefined) spec.version = spec.versions[0].name;
  },
};

export const conversion: ConversionFunctions = {
  toHub(object) {
    object.spec = specToHub(object.spec);
    return object;
  },
  fromHub(object) {
    object.spec = specFromHub(object.spec);
    return object;
  },
};

const onlyVersion = (name: string): v1beta1.CustomResourceDefinitionVersion => ({ name, served: true, storage: true });

function specToHub(spec: v1beta1.CustomResourceDefinitionSpec): v1.CustomResourceDefinitionSpec {
  const { group, names, scope, version, conversion: how, preserveUnknownFields } = spec;
  const versions = spec.versions ?? [];
  const listed = versions.length > 0 ? versions : version ? [onlyVersion(version)] : [];
  return present<v1.CustomResourceDefinitionSpec>({
    group,
    names,
    scope,
    versions: listed.map((each) => versionToHub(each, spec)),
    conversion: how === undefined ? undefined : conversionToHub(how),
    preserveUnknownFields: preserveUnknownFields || undefined,
  });
}

function specFromHub(spec: v1.CustomResourceDefinitionSpec): v1beta1.CustomResourceDefinitionSpec {
  const { group, names, scope, versions, conversion: how, preserveUnknownFields = false } = spec;
  const older = (versions ?? []).map(versionFromHub);
  return present<v1beta1.CustomResourceDefinitionSpec>({
    group,
    version: older[0]?.name,
    names,
    scope,
    validation: takeCommon(older, 'schema'),
    subresources: takeCommon(older, 'subresources'),
    versions: older,
    additionalPrinterColumns: takeCommon(older, 'additionalPrinterColumns'),
    selectableFields: takeCommon(older, 'selectableFields'),
    conversion: how === undefined ? undefined : conversionFromHub(how),
    preserveUnknownFields,
  });
}

/** @param common the specification, which has parts that the version does not have itself */
function versionToHub(
  { schema, subresources, additionalPrinterColumns, selectableFields, ...version }: v1beta1.CustomResourceDefinitionVersion,
  common: v1beta1.CustomResourceDefinitionSpec,
): v1.CustomResourceDefinitionVersion {
  const columns = additionalPrinterColumns ?? common.additionalPrinterColumns;
  return present<v1.CustomResourceDefinitionVersion>({
    ...version,
    schema: schema ?? common.validation,
    subresources: subresources ?? common.subresources,
    additionalPrinterColumns: columns?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath })),
    selectableFields: selectableFields ?? common.selectableFields,
  });
}

function versionFromHub({
  additionalPrinterColumns: columns,
  ...version
}: v1.CustomResourceDefinitionVersion): v1beta1.CustomResourceDefinitionVersion {
  if (!columns) return version;
  return { ...version, additionalPrinterColumns: columns.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath })) };
}

/** Takes a part out of all versions if it is the same in all of them; changes `versions`. */
function takeCommon<Name extends 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>(
  versions: readonly v1beta1.CustomResourceDefinitionVersion[],
  name: Name,
): v1beta1.CustomResourceDefinitionVersion[Name] {
  const value = versions[0]?.[name];
  if (!versions.every((version) => deepEqual(version[name], value))) return undefined;
  for (const version of versions) delete version[name];
  return value;
}

function conversionToHub({ strategy, webhookClientConfig, conversionReviewVersions }: v1beta1.CustomResourceConversion) {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const webhook = present<v1.WebhookConversion>({
    clientConfig: webhookClientConfig,
    conversionReviewVersions: conversionReviewVersions ?? null,
  });
  return { strategy, webhook };
}

function conversionFromHub({ strategy, webhook }: v1.CustomResourceConversion): v1beta1.CustomResourceConversion {
  return present<v1beta1.CustomResourceConversion>({
    strategy,
    webhookClientConfig: webhook?.clientConfig,
    conversionReviewVersions: webhook?.conversionReviewVersions ?? undefined,
  });
}

/** Without the members that are undefined. */
function present<T extends object>(members: { [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
