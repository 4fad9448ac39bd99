/** Runs `cluster-schema convert`: converts manifests to other versions without a server. */
import { parseArgs } from 'node:util';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { ManifestChecker } from '../convert/check-manifests.ts';
import { checkJson, checkText, isFailed } from '../convert/check-report.ts';
import { type ConvertedFile, ManifestConverter } from '../convert/convert-manifests.ts';
import { loadGeneratedKinds } from '../convert/known-kinds.ts';
import { ManifestError, placeText } from '../convert/manifest-error.ts';
import { readManifestFiles } from '../convert/manifest-files.ts';
import { groupAndVersion, ManifestKinds } from '../convert/manifest-kinds.ts';
import { type Format, streamText, writeInPlace, writeToFolder } from '../convert/output.ts';
import { type Command, UsageError } from './command.ts';

export const usage = `usage: cluster-schema convert -f FILE... [--output-version GROUP/VERSION] [--release RELEASE] [--in-place | --out DIR] [-o yaml|json]
       cluster-schema convert -f FILE... --check RELEASE [--json]

Converts manifests, YAML or JSON, to another version of their groups, as a server would, and prints them. A document that needs no conversion
leaves as it came. What should be looked at in the others is said on stderr.

  -f, --filename FILE      a file, a folder whose .yaml, .yml and .json files count, or - for standard input; may be given several times, and several
                           files may follow it
  -R, --recursive          also the folders within folders
  --output-version VERSION such as apps/v1 or v1; kinds that it does not have, and all kinds without this flag, are converted where the release does
                           not serve their version any more, to the version that takes its place
  --release RELEASE        whose versions count: the current one by default, or any from the oldest on of which the schemas tell everything
  --preferred              converts what the release still serves too, to the version that it prefers
  --with-defaults          writes all members that the object has then, as kubectl convert does; by default those alone that the two versions would set
                           otherwise
  --crd FILE               definitions of custom resources, a file or a folder; objects of theirs are converted where the strategy is None. May be
                           given several times
  -o, --output FORMAT      yaml or json, for all documents; several are a List in JSON. By default each document stays what it is
  --in-place               writes changed files back instead of printing them
  --out DIR                writes all files to a folder instead
  --dialect DIALECT        whose names count where those of the groups do not tell: kubernetes, the default, or cluster
  --check RELEASE          converts nothing: lists what the release does not serve, and what it calls deprecated
  --json                   prints the list of --check as JSON

It ends with 0; with 1 where something is wrong in a file, and nothing is written then, or where --check finds what is not served; with 2 where the
command line is wrong.`;

interface Options {
  readonly places: readonly string[];
  readonly recursive: boolean;
  readonly definitions: readonly string[];
  readonly dialect: Dialect;
  readonly outputVersion: string | undefined;
  readonly release: string | undefined;
  readonly preferred: boolean;
  readonly withDefaults: boolean;
  readonly format: Format;
  readonly inPlace: boolean;
  readonly out: string | undefined;
  readonly check: string | undefined;
  readonly json: boolean;
}

export const run: Command = async (root, args) => {
  const options = readOptions(args);
  const generated = await loadGeneratedKinds(root);
  const { all, oldest, current } = generated.releases;
  const releases = all.slice(all.indexOf(oldest));
  for (const release of [options.release, options.check])
    if (release !== undefined && !releases.includes(release))
      throw new UsageError(`there is no release ${release} here; known are ${releases[0]} to ${releases.at(-1)}`);
  const kinds = new ManifestKinds(generated, options.dialect);
  try {
    await kinds.define(options.definitions);
    checkOutputVersion(kinds, options.outputVersion);
    if (options.check !== undefined) return await checkAll(kinds, options, options.check);
    return await convertAll(kinds, options, options.release ?? current);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    console.error(errorLine(error));
    return 1;
  }
};

function errorLine({ file, line, problem }: ManifestError): string {
  return `${placeText(file, line)}: error: ${problem}`;
}

async function checkAll(kinds: ManifestKinds, options: Options, release: string): Promise<number> {
  const checker = new ManifestChecker(kinds, release);
  for (const file of readManifestFiles(options.places, options.recursive)) await checker.checkFile(file);
  const { result } = checker;
  if (options.json) console.log(checkJson(result, release));
  else {
    for (const error of result.errors) console.error(errorLine(error));
    console.log(checkText(result, release));
  }
  return isFailed(result) ? 1 : 0;
}

async function convertAll(kinds: ManifestKinds, options: Options, release: string): Promise<number> {
  const converter = new ManifestConverter(kinds, { ...options, release });
  const files: ConvertedFile[] = [];
  for (const file of readManifestFiles(options.places, options.recursive)) files.push(await converter.convertFile(file));
  for (const { file, line, object, text } of converter.notices) console.error(`${placeText(file, line)}: notice: ${object}: ${text}`);
  for (const error of converter.errors) console.error(errorLine(error));
  if (converter.errors.length > 0) {
    console.error('Nothing was written.');
    return 1;
  }
  if (options.inPlace) for (const file of writeInPlace(files)) console.log(file);
  else if (options.out !== undefined) for (const file of writeToFolder(files, options.out, options.format)) console.log(file);
  else process.stdout.write(streamText(files, options.format));
  return 0;
}

/** @throws UsageError for a version that neither a schema nor a definition has */
function checkOutputVersion(kinds: ManifestKinds, version: string | undefined): void {
  if (version === undefined || kinds.hasGroupVersion(version)) return;
  const [group] = groupAndVersion(version);
  const known = kinds.versionsOfGroup(group);
  throw new UsageError(`no schema has ${version}${known.length === 0 ? '' : `; of this group they have ${known.join(', ')}`}`);
}

/** @throws UsageError for a wrong command line */
function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  const { output: format, dialect = 'kubernetes', check } = values;
  const places = [...(values.filename ?? []), ...positionals];
  if (values.filename === undefined) throw new UsageError('-f names what is to be converted');
  if (places.filter((place) => place === '-').length > 1) throw new UsageError('standard input can be read once');
  if (format !== undefined && format !== 'yaml' && format !== 'json') throw new UsageError(`--output is yaml or json, not ${format}`);
  if (dialect !== 'cluster' && dialect !== 'kubernetes') throw new UsageError(`--dialect is cluster or kubernetes, not ${dialect}`);
  if (values['in-place'] === true && values.out !== undefined) throw new UsageError('--in-place and --out exclude each other');
  if (places.includes('-') && (values['in-place'] === true || values.out !== undefined))
    throw new UsageError('standard input has no file to write back to');
  if (values['in-place'] === true && format !== undefined)
    throw new UsageError('--in-place keeps the form of each file; --out and --output change it');
  if (values.json === true && check === undefined) throw new UsageError('--json belongs to --check; --output json prints objects as JSON');
  const converting = ['output-version', 'release', 'preferred', 'with-defaults', 'output', 'in-place', 'out'] as const;
  const other = check === undefined ? undefined : converting.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--check converts nothing, so --${other} has no meaning beside it`);
  return {
    places,
    recursive: values.recursive === true,
    definitions: values.crd ?? [],
    dialect,
    outputVersion: values['output-version'],
    release: values.release,
    preferred: values.preferred === true,
    withDefaults: values['with-defaults'] === true,
    format,
    inPlace: values['in-place'] === true,
    out: values.out,
    check,
    json: values.json === true,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    filename: { type: 'string', short: 'f', multiple: true },
    recursive: { type: 'boolean', short: 'R' },
    'output-version': text,
    release: text,
    preferred: flag,
    'with-defaults': flag,
    crd: { type: 'string', multiple: true },
    output: { type: 'string', short: 'o' },
    'in-place': flag,
    out: text,
    dialect: text,
    check: text,
    json: flag,
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
