/** Makes custom resource definitions of the group versions that are stated as structural schemas. */
import type { SubresourceData } from '../../../runtime/contract/kind.ts';
import type { TableColumn } from '../../../runtime/contract/table.ts';
import type { CustomColumn, CustomDefinition, CustomScale, CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import type { GroupVersion, ModelData, ResourceModel, StructModel, StructuralKind } from '../model.ts';

/** One version of a kind. */
interface StatedVersion {
  readonly groupVersion: GroupVersion;
  readonly resource: ResourceModel;
}

/**
 * @param folders folders of the versions that are wanted; absent: all
 * @returns a definition for each resource, with its versions in the order of the model
 */
export function structuralDefinitions(
  { groupVersions }: Pick<ModelData, 'groupVersions'>,
  folders?: ReadonlySet<string>,
): CustomDefinition[] {
  const stated = groupVersions
    .filter(({ structural, folder }) => structural !== undefined && folders?.has(folder) !== false)
    .flatMap((groupVersion) => groupVersion.resources.map((resource): StatedVersion => ({ groupVersion, resource })));
  return [...Map.groupBy(stated, ({ groupVersion, resource }) => `${resource.name}.${groupVersion.group}`).values()].map(definitionOf);
}

function definitionOf(versions: readonly StatedVersion[]): CustomDefinition {
  const [{ groupVersion, resource }] = versions as [StatedVersion];
  const { name: plural, singular, kind, scope, shortNames, categories } = resource;
  const { list = `${kind}List` } = structOf(groupVersion, kind);
  return {
    spec: {
      group: groupVersion.group,
      scope,
      names: {
        plural,
        singular,
        kind,
        listKind: list,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      versions: versions.map(versionOf),
    },
  };
}

function versionOf({ groupVersion, resource }: StatedVersion): CustomVersion {
  const { lifecycle, table } = structOf(groupVersion, resource.kind);
  const { structural = [] } = groupVersion;
  const { schema, warning } = structural.find(({ name }) => name === resource.kind) as StructuralKind;
  const subresources = subresourcesOf(resource.subresources);
  const { selectableFields, storage } = resource;
  return {
    name: groupVersion.version,
    served: true,
    storage: storage?.version === groupVersion.version,
    ...((lifecycle?.deprecated !== undefined || warning !== undefined) && { deprecated: true }),
    ...(warning !== undefined && { deprecationWarning: warning }),
    schema: { openAPIV3Schema: schema },
    ...(subresources !== undefined && { subresources }),
    ...(table !== undefined && { additionalPrinterColumns: table.columns.map(columnOf) }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((path) => ({ jsonPath: `.${path}` })) }),
  };
}

const structOf = ({ types }: GroupVersion, kind: string): StructModel => types.find(({ name }) => name === kind) as StructModel;

function subresourcesOf(stated: readonly SubresourceData[]): CustomVersion['subresources'] {
  const status = stated.find(({ name }) => name === 'status');
  const scale = stated.find(({ name }) => name === 'scale')?.scale;
  if (status === undefined && scale === undefined) return undefined;
  return { ...(status !== undefined && { status: {} }), ...(scale !== undefined && { scale: scaleOf(scale) }) };
}

function scaleOf({ specReplicas, statusReplicas, selector }: NonNullable<SubresourceData['scale']>): CustomScale {
  return {
    specReplicasPath: `.${specReplicas}`,
    statusReplicasPath: `.${statusReplicas}`,
    ...(selector !== '' && { labelSelectorPath: `.${selector}` }),
  };
}

function columnOf({ name, type, format, description, priority, path, age }: TableColumn): CustomColumn {
  return {
    name,
    type,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    jsonPath: String(path ?? age),
  };
}
