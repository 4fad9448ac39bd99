/** Definitions in v1beta1, in which what the versions have in common may stand once, beside them. */
import type { ConversionFunctions, KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Struct } from '../struct.ts';

export const rules: KindRules = {
  defaults({ spec }: ApiObject): void {
    if ((spec.versions ?? []).length === 0 && spec.version) spec.versions = [{ name: spec.version, served: true, storage: true }];
    if (!spec.version && spec.versions?.[0] !== undefined) spec.version = spec.versions[0].name;
  },
};

export const conversion: ConversionFunctions = {
  toHub(object) {
    const { group, names, scope, version, versions, conversion: how, preserveUnknownFields, ...common } = object.spec;
    const listed: Struct[] = (versions ?? []).length > 0 ? versions : version ? [{ name: version, served: true, storage: true }] : [];
    object.spec = present({
      group,
      names,
      scope,
      versions: listed.map((each) => versionToHub(each, common)),
      conversion: how === undefined ? undefined : conversionToHub(how),
      preserveUnknownFields: preserveUnknownFields || undefined,
    });
    return object;
  },
  fromHub(object) {
    const { group, names, scope, versions, conversion: how, preserveUnknownFields = false } = object.spec;
    const older: Struct[] = (versions ?? []).map(versionFromHub);
    const common: Struct = Object.fromEntries(PARTS.map(({ older: name, inVersion }) => [name, takeCommon(older, inVersion)]));
    object.spec = present({
      group,
      version: older[0]?.name,
      names,
      scope,
      validation: common.validation,
      subresources: common.subresources,
      versions: older,
      additionalPrinterColumns: common.additionalPrinterColumns,
      selectableFields: common.selectableFields,
      conversion: how === undefined ? undefined : conversionFromHub(how),
      preserveUnknownFields,
    });
    return object;
  },
};

/** Parts of a version that may stand beside the versions, under another name or not. */
const PARTS = [
  { older: 'validation', inVersion: 'schema' },
  { older: 'subresources', inVersion: 'subresources' },
  { older: 'additionalPrinterColumns', inVersion: 'additionalPrinterColumns' },
  { older: 'selectableFields', inVersion: 'selectableFields' },
] as const;

function versionToHub({ name, served, storage, deprecated, deprecationWarning, ...parts }: Struct, common: Struct): Struct {
  const columns: Struct[] | undefined = parts.additionalPrinterColumns ?? common.additionalPrinterColumns;
  return present({
    name,
    served,
    storage,
    deprecated,
    deprecationWarning,
    schema: parts.schema ?? common.validation,
    subresources: parts.subresources ?? common.subresources,
    additionalPrinterColumns: columns?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath })),
    selectableFields: parts.selectableFields ?? common.selectableFields,
  });
}

function versionFromHub({ additionalPrinterColumns: columns, ...version }: Struct): Struct {
  if (!columns) return version;
  return {
    ...version,
    additionalPrinterColumns: columns.map(({ jsonPath, ...column }: Struct) => ({ ...column, JSONPath: jsonPath })),
  };
}

/** Takes a part out of all versions if it is the same in all of them; changes `versions`. */
function takeCommon(versions: readonly Struct[], name: string): unknown {
  const value = versions[0]?.[name];
  if (!versions.every((version) => deepEqual(version[name], value))) return undefined;
  for (const version of versions) delete version[name];
  return value;
}

function conversionToHub({ strategy, webhookClientConfig: clientConfig, conversionReviewVersions }: Struct): Struct {
  if (clientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  return { strategy, webhook: present({ clientConfig, conversionReviewVersions: conversionReviewVersions ?? null }) };
}

function conversionFromHub({ strategy, webhook }: Struct): Struct {
  return present({
    strategy,
    webhookClientConfig: webhook?.clientConfig,
    conversionReviewVersions: webhook?.conversionReviewVersions ?? undefined,
  });
}

function present(members: Struct): Struct {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
