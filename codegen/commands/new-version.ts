/** Runs `cluster-schema new-version`: writes the schemas of a new version of a group. */
import { parseArgs } from 'node:util';
import { type NewVersion, newDocument, newProto, typesOf } from '../edit/new-version.ts';
import { compareReleases } from '../model/lifespan.ts';
import type { GroupVersion } from '../model/model.ts';
import { type JsonObject, objectAt, type Sources } from '../read/sources.ts';
import { type Command, UsageError } from './command.ts';
import { changeSchemas, groupVersionOf, namesOf, releaseOfChange } from './lifecycle-change.ts';

export const usage = `usage: cluster-schema new-version GROUP/VERSION --from VERSION [--in RELEASE]

Writes openapi.yaml and types.proto of a new version that has all that another one has: every type by reference, the same protobuf numbers, the same
resources, stored as those are, and conversions that change nothing. To change a type, put its schema in the place of its $ref.

  --from VERSION   the version of the same group that it begins as
  --in RELEASE     the release that introduces it; the one after the current one without it`;

const VERSION = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;

export const run: Command = (root, args) => {
  const { text, fromVersion, stated } = parse(args);
  return changeSchemas(root, ({ model, sources }, files) => {
    const { all } = model;
    const slash = text.lastIndexOf('/');
    const [group, version] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
    const from = groupVersionOf(all, group === '' ? fromVersion : `${group}/${fromVersion}`);
    if (!VERSION.test(version)) throw new UsageError(`${version} is no name of a version, such as v2 or v2beta1`);
    const folder = `${from.folder.split('/')[0]}/${version}`;
    const known = all.groupVersions.find((each) => each.folder === folder || namesOf(all, each).includes(text));
    if (known !== undefined)
      throw new UsageError(`${known.folder} is there already; a version that was removed does not come back as another`);
    const release = releaseOfChange(all, stated);
    if (compareReleases(release, all.currentRelease) < 0) throw new UsageError(`${release} is out: it cannot introduce a version any more`);
    const request = { version, from, release, ...statedParts(sources, from) };
    const hasProto = !from.files && from.structural === undefined;
    files.write(`schemas/${folder}/openapi.yaml`, newDocument(model, request));
    if (hasProto)
      files.write(
        `schemas/${folder}/types.proto`,
        newProto(files.text(`schemas/${from.folder}/types.proto`), request, typesOf(model, from, release)),
      );
    return [
      `${folder} has all that ${from.folder} has, and is introduced in ${release}.`,
      ...(release === all.currentRelease
        ? []
        : [`A server has it as soon as schemas/releases.yaml says that ${release} is the current release.`]),
      `To change a type, put its schema in the place of its $ref${hasProto ? ', and its new fields into types.proto' : ''}. Next: make generate.`,
    ];
  });
};

function statedParts({ documents }: Sources, { source }: GroupVersion): Pick<NewVersion, 'resources' | 'tables'> {
  const content = documents.find(({ file }) => file === source)?.content as JsonObject | undefined;
  const schemas = Object.entries(objectAt(content?.components, 'schemas'));
  return {
    resources: (content?.['x-cluster-resources'] as JsonObject[] | undefined) ?? [],
    tables: new Map(schemas.map(([name, schema]) => [name, (schema as JsonObject)['x-cluster-table']])),
  };
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { from: { type: 'string' }, in: { type: 'string' } },
    });
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new Error('which GROUP/VERSION?');
    if (values.from === undefined) throw new Error('--from VERSION is missing');
    return { text, fromVersion: values.from, stated: values.in };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
