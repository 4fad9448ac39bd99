/** Makes schemas of custom resource definitions: a document for each group version, which refers to the types of another version where that says the same. */
import type { CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import type { ModelData } from '../../model/model.ts';
import type { SchemaFiles } from '../schema-files.ts';
import { type DefinedKind, type DocumentRequest, type DocumentSchemas, documentText, schemasOf } from './group-document.ts';
import type { ImportedDefinition } from './imported-definition.ts';

/** The definitions have no place in the schemas; the message says why. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/**
 * @param files gets the documents
 * @param release the release that introduces the kinds
 * @returns paths of the group versions below `schemas/`
 * @throws ImportError if a group or group version is in the schemas already
 */
export function importDefinitions(
  all: ModelData,
  definitions: readonly ImportedDefinition[],
  files: Pick<SchemaFiles, 'write'>,
  release: string,
): string[] {
  const byGroup = Map.groupBy(definitions, ({ spec }) => spec.group);
  return [...byGroup].flatMap(([group, ofGroup]) => {
    const folder = folderOf(all, group, [...byGroup.keys()]);
    return importGroup(group, folder, ofGroup, release).map(([version, text]) => {
      const path = `${folder}/${version}`;
      if (all.groupVersions.some((each) => each.folder === path))
        throw new ImportError(`schemas/${path} is there already: take it out to import all definitions of ${group} anew`);
      files.write(`schemas/${path}/openapi.yaml`, text);
      return path;
    });
  });
}

/** @returns the first word of the group's name, if no other group has it; otherwise the whole name */
function folderOf({ groupVersions, identity }: ModelData, group: string, imported: readonly string[]): string {
  const known = groupVersions.find((each) => each.structural !== undefined && each.group === group);
  if (known !== undefined) return known.folder.split('/')[0] as string;
  const names = (of: string): string[] =>
    ['cluster', 'kubernetes'].map((dialect) =>
      of.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => identity.names[name]?.[dialect as 'cluster'] ?? whole),
    );
  const served = groupVersions.find((each) => names(each.group).includes(group));
  if (served !== undefined) throw new ImportError(`${group} is a group of the schemas already: ${served.source}`);
  const [word = group] = group.split('.');
  const others = imported.filter((each) => each !== group && each.split('.')[0] === word);
  return others.length > 0 || groupVersions.some((each) => each.folder.split('/')[0] === word) ? group : word;
}

/** @returns the texts of documents by version */
function importGroup(group: string, folder: string, definitions: readonly ImportedDefinition[], release: string): [string, string][] {
  const kinds = definitions.flatMap(({ spec }) => spec.versions.map((version): DefinedKind => ({ spec, version })));
  const requests = [...Map.groupBy(kinds, ({ version }) => version.name)].map(
    ([version, of]): DocumentRequest => ({ group, version, folder, release, kinds: of }),
  );
  const schemas = new Map(requests.map((request) => [request.version, schemasOf(request)]));
  const hub = hubOf(definitions);
  return requests.map((request) => {
    const own = schemas.get(request.version) as DocumentSchemas;
    const others = schemas.get(hub);
    return [
      request.version,
      documentText(request, own, request.version === hub || others === undefined ? undefined : { version: hub, schemas: others }),
    ];
  });
}

/** @returns the version in which most kinds are stored */
function hubOf(definitions: readonly ImportedDefinition[]): string {
  const stored = definitions.map(({ spec }) => (spec.versions.find(({ storage }) => storage) as CustomVersion).name);
  const counted = [...Map.groupBy(stored, (version) => version)].sort(([, a], [, b]) => b.length - a.length);
  return counted[0]?.[0] as string;
}
