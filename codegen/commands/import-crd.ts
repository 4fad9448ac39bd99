/** Runs `cluster-schema import-crd`: makes schemas of custom resource definitions. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ImportError, importDefinitions } from '../edit/import-definitions/import-definitions.ts';
import { type ImportedDefinition, type ImportReport, importedDefinition } from '../edit/import-definitions/imported-definition.ts';
import { DefinitionsError, readDefinitionObjects } from '../read/definitions.ts';
import { writeWhole } from '../write/write.ts';
import { type Command, UsageError } from './command.ts';
import { changeSchemas, releaseOfImport } from './lifecycle-change.ts';

export const usage = `usage: cluster-schema import-crd FILE... [--out DIR] [--in RELEASE]

Writes the schemas of kinds that custom resource definitions (apiextensions/v1, YAML or JSON, any number in a file) define: a folder for each group version, of
which make generate makes kinds of the server. They answer as the custom resources do, and find the objects that were stored as those. What schemas
cannot state is refused or told, with its file and path.

  FILE           a file, or a folder whose .yaml, .yml and .json files count
  --out DIR      writes DIR/GROUP/VERSION/openapi.yaml; schemas/ of this checkout without it
  --in RELEASE   the release that introduces the kinds; the current one without it`;

export const run: Command = (root, args) => {
  const { places, out, stated } = parse(args);
  const report: ImportReport = { refused: [], told: [] };
  const definitions = read(places, report);
  for (const told of report.told) console.log(told);
  if (report.refused.length > 0) {
    for (const refused of report.refused) console.error(refused);
    console.error('Nothing was written.');
    return Promise.resolve(1);
  }
  const save = out === undefined ? undefined : (changes: ReadonlyMap<string, string>) => writeTo(path.resolve(out), changes);
  return changeSchemas(
    root,
    ({ model: { all } }, files) => {
      try {
        const folders = importDefinitions(all, definitions, files, releaseOfImport(all, stated));
        return [
          `${folders.join(', ')}: ${definitions.map(({ spec }) => spec.names.kind).join(', ')}.`,
          ...(out === undefined ? ['Next: make generate.'] : []),
        ];
      } catch (error) {
        if (error instanceof ImportError) throw new UsageError(error.message);
        throw error;
      }
    },
    save,
  );
};

function read(places: readonly string[], report: ImportReport): ImportedDefinition[] {
  try {
    const objects = readDefinitionObjects(places);
    if (objects.length === 0) throw new UsageError(`there is no definition in ${places.join(', ')}`);
    return objects.flatMap(({ object, definition }) => importedDefinition(object, definition.file, report) ?? []);
  } catch (error) {
    if (!(error instanceof DefinitionsError)) throw error;
    report.refused.push(...error.message.split('\n'));
    return [];
  }
}

/** @param changes texts by path, each of which begins with `schemas/` */
function writeTo(folder: string, changes: ReadonlyMap<string, string>): void {
  for (const [file, text] of changes) writeWhole(path.join(folder, file.slice('schemas/'.length)), text);
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { out: { type: 'string' }, in: { type: 'string' } },
    });
    if (positionals.length === 0) throw new Error('which FILE?');
    return { places: positionals, out: values.out, stated: values.in };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
