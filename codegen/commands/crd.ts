/** Runs `cluster-schema crd`: writes custom resource definitions for what the schemas state. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import { type DefinitionRequest, definitionsOfVersion } from '../emit/definitions/kind-definition.ts';
import type { GroupVersion, Model } from '../model/model.ts';
import { type Command, UsageError } from './command.ts';
import { groupVersionOf } from './lifecycle-change.ts';
import { readState } from './read-state.ts';

export const usage = `usage: cluster-schema crd GROUP/VERSION[/KIND] [--out FILE] [--group NAME] [--dialect DIALECT]

Writes custom resource definitions (YAML) of the kinds that a group version stores. Constraints become keywords of their schemas, or rules where these say the same.
What a definition does not say is told, with the kind and the path of its member.

  --out FILE          where they go; standard output without it
  --group NAME        group of the definitions, where it is to be another one: those of the server's own kinds are kept for it
  --dialect DIALECT   whose names texts have: cluster or kubernetes, which is the default`;

export const run: Command = async (root, args) => {
  const { name, kind, out, group, dialect } = parse(args);
  const state = await readState(root);
  if ('errors' in state) {
    for (const error of state.errors) console.error(error);
    return 1;
  }
  const { model } = state;
  const [groupVersion, wanted] = chosen(model, name, kind);
  const { text } = createIdentity(model.identity, dialect);
  const definitions = definitionsOfVersion({
    model,
    groupVersion,
    text,
    ...(wanted !== undefined && { kind: wanted }),
    ...(group !== undefined && { group }),
    tell: (of, path, what) => console.error(`schemas/${groupVersion.folder}/openapi.yaml: ${of}${path === '' ? '' : ` ${path}`} ${what}`),
  } satisfies DefinitionRequest);
  if (definitions.length === 0) throw new UsageError(`${groupVersion.folder} stores no ${wanted ?? 'kind'}`);
  const groups = new Set(definitions.map(({ spec }) => spec.group));
  for (const each of groups)
    if (!each.includes('.'))
      console.error(`The group ${JSON.stringify(each)} is no domain with a dot, as a server wants it: --group names another one.`);
  const documents = definitions.map(({ spec }) =>
    stringify(
      {
        apiVersion: text('apiextensions.${groupDomain}/v1'),
        kind: 'CustomResourceDefinition',
        metadata: { name: `${spec.names.plural}.${spec.group}` },
        spec,
      },
      { lineWidth: 0, aliasDuplicateObjects: false },
    ),
  );
  const written = documents.join('---\n');
  if (out === undefined) process.stdout.write(written);
  else writeFileSync(out, written);
  return 0;
};

/**
 * @returns a group version of the current release, and the kind that was asked for
 * @throws UsageError if the current release does not have them
 */
function chosen({ all, groupVersions }: Model, name: string, kind: string | undefined): [GroupVersion, kind: string | undefined] {
  const known = groupVersionOf(all, name);
  const groupVersion = groupVersions.find(({ folder }) => folder === known.folder);
  if (groupVersion === undefined) throw new UsageError(`the current release has no ${known.folder}`);
  if (kind !== undefined && !groupVersion.resources.some((resource) => resource.kind === kind))
    throw new UsageError(`${known.folder} has no resource of the kind ${kind}`);
  return [groupVersion, kind];
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { out: { type: 'string' }, group: { type: 'string' }, dialect: { type: 'string' } },
    });
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new Error('which GROUP/VERSION?');
    const dialect = values.dialect ?? 'kubernetes';
    if (dialect !== 'cluster' && dialect !== 'kubernetes') throw new Error(`there is no dialect ${dialect}`);
    // Kinds begin with a capital letter, versions do not.
    const [, name = text, kind] = /^(.*)\/([A-Z][A-Za-z0-9]*)$/.exec(text) ?? [];
    return { name, kind, out: values.out, group: values.group, dialect: dialect as Dialect };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
