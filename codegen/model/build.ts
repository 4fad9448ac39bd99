/** Second step of the generator: makes the model of what the sources say. What does not fit is reported and left out, and the checks see the rest. */
import type { ScalarName } from '../../runtime/contract/descriptor.ts';
import { versionPriority } from '../../runtime/contract/version-priority.ts';
import type { Report } from '../check/diagnostic.ts';
import type { Sources } from '../read/sources.ts';
import { currentModel } from './at-release.ts';
import { type KnownDocument, type RawType, TypeIndex } from './index-types.ts';
import { readLifespan } from './lifespan.ts';
import type { GroupVersion, JsonType, Model, NamedScalar, NamedType } from './model.ts';
import { buildResources } from './resources.ts';
import { buildStruct, type StructContext } from './struct.ts';
import { structuralKinds, structuralTypes } from './structural/structural-kinds.ts';
import { readFeatureGates, readIdentity, readReleases } from './tables.ts';
import { TypeReader } from './type-use.ts';

/** @returns the API of the current release; its `at` leads to that of every other one */
export function buildModel(sources: Sources, report: Report): Model {
  const index = new TypeIndex(sources, report);
  const context: StructContext = { index, types: new TypeReader(index, report), messages: sources.messages, report };
  const documents = new Map(index.documents.map((document) => [document.file, document]));
  const groupVersions = index.documents.map((document) => buildGroupVersion(document, documents, context));
  const types = new Map(groupVersions.flatMap((groupVersion) => groupVersion.types).map((type) => [type.definition, type]));
  return currentModel({
    groupVersions,
    types,
    identity: readIdentity(sources, report),
    ...readReleases(sources, report),
    featureGates: readFeatureGates(sources, report),
  });
}

function buildGroupVersion(document: KnownDocument, documents: ReadonlyMap<string, KnownDocument>, context: StructContext): GroupVersion {
  const { group, version, package: packageName, ...stated } = document.groupVersion;
  return {
    group,
    version,
    folder: document.folder,
    package: packageName,
    groupPriority: stated.groupPriority ?? 1000,
    versionPriority: stated.versionPriority ?? versionPriority(version),
    enabledByDefault: stated.enabledByDefault ?? !/alpha|beta/.test(version),
    files: stated.files ?? false,
    ...(stated.structural === true && { structural: structuralKinds(document, context) }),
    ...(stated.before !== undefined && { before: stated.before }),
    ...(stated.since !== undefined && { since: stated.since }),
    ...(stated.until !== undefined && { until: stated.until }),
    source: document.file,
    resources: buildResources(document, documents, context.report),
    types:
      stated.structural === true
        ? structuralTypes(document, context)
        : context.index.typesOf(document).map((raw) => buildType(raw, context)),
  };
}

function buildType(raw: RawType, context: StructContext): NamedType {
  return raw.marks['x-cluster-scalar'] === undefined ? buildStruct(raw, context) : buildScalar(raw, context);
}

function buildScalar(raw: RawType, { index, report }: StructContext): NamedScalar {
  const { description, type, format } = raw.schema as { description?: string; type?: JsonType; format?: string };
  const struct = raw.marks['x-cluster-scalar-struct'] as string | undefined;
  const isUnion = String(raw.marks['x-cluster-scalar']).startsWith('structOr');
  const hasStruct = struct !== undefined && index.resolve(`#/components/schemas/${struct}`, raw) !== undefined;
  if (isUnion !== hasStruct)
    report(
      'CS010',
      { file: raw.file, path: `${raw.path}.x-cluster-scalar-struct` },
      isUnion ? 'A union names a schema of this document as its struct.' : 'Only a union has a struct.',
    );
  return {
    kind: 'scalar',
    name: raw.name,
    definition: raw.definition,
    folder: raw.document.folder,
    ...readLifespan(raw.marks),
    ...(description !== undefined && { description }),
    scalar: raw.marks['x-cluster-scalar'] as ScalarName,
    ...(struct !== undefined && { struct }),
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
  };
}
