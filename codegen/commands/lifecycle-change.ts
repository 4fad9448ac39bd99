/** The common part of commands for a version's lifecycle: they edit schemas, refuse changes that the policy forbids, and print their changes. */
import { formatDiagnostic } from '../check/diagnostic.ts';
import { lineChanges } from '../edit/line-changes.ts';
import { SchemaFiles } from '../edit/schema-files.ts';
import { tryChange } from '../edit/try-change.ts';
import { compareReleases } from '../model/lifespan.ts';
import type { GroupVersion, ModelData, StructModel } from '../model/model.ts';
import type { SchemaState } from '../policy/check-policy.ts';
import { kindsOf } from '../policy/elements/kinds.ts';
import type { Finding } from '../policy/finding.ts';
import { ReleaseCalendar } from '../policy/release-calendar.ts';
import { UsageError } from './command.ts';
import { readState } from './read-state.ts';

/**
 * @param edit changes the files, and returns sentences that are printed after the changes; it throws UsageError for what cannot be done
 * @param save writes the changed files, given as texts by path from the root; absent: they are written to the schemas
 * @returns the exit code
 */
export async function changeSchemas(
  root: string,
  edit: (state: SchemaState, files: SchemaFiles) => readonly string[],
  save?: (changes: ReadonlyMap<string, string>) => void,
): Promise<number> {
  const state = await readState(root);
  if ('errors' in state) {
    for (const error of state.errors) console.error(error);
    return 1;
  }
  const files = new SchemaFiles(root);
  const sentences = edit(state, files);
  const { errors, violations } = await tryChange(root, state, files);
  if (errors.length > 0 || violations.length > 0) {
    for (const error of errors) console.error(formatDiagnostic(error));
    for (const violation of violations) console.error(refusal(violation));
    console.error(
      violations.length > 0
        ? 'The policy forbids it: nothing was changed.'
        : 'The schemas would contradict each other: nothing was changed.',
    );
    return 1;
  }
  const { changes } = files;
  for (const [file, text] of changes)
    printChange(file, text, state.sources.documents.some((each) => each.file === file) ? files.text(file) : undefined);
  if (save === undefined) files.save();
  else save(changes);
  for (const sentence of changes.size > 0 ? sentences : ['Nothing is to be changed.']) console.log(sentence);
  return 0;
}

function refusal({ code, rule, element, title, was, is, remedy }: Finding): string {
  return `${code} (rule ${rule}) ${element}: ${title}\n  was ${was}\n  is  ${is}\n  do  ${remedy}`;
}

/** Greatest number of changed lines that are printed of one file; `git diff` shows the rest. */
const SHOWN_LINES = 20;

function printChange(file: string, text: string, before: string | undefined): void {
  if (before === undefined) return console.log(`${file}: new, ${text.split('\n').length - 1} lines`);
  const lines = lineChanges(before, text);
  console.log(`${file}:`);
  for (const line of lines.slice(0, SHOWN_LINES)) console.log(`  ${line}`);
  if (lines.length > SHOWN_LINES) console.log(`  and ${lines.length - SHOWN_LINES} lines more`);
}

/**
 * @param text such as `batch/v1`: the group has its name in either dialect, or that of its folder in `schemas/`; `v1` alone is of the core group
 * @throws UsageError for a group version that does not exist
 */
export function groupVersionOf(all: ModelData, text: string): GroupVersion {
  const named = all.groupVersions.filter((groupVersion) => namesOf(all, groupVersion).includes(text));
  // Files may have kinds without a group, which do not belong to the core group.
  const found = named.find(({ files }) => !files) ?? named[0];
  if (found === undefined) throw new UsageError(`the schemas have no group version ${text}`);
  return found;
}

/** @returns all names by which a user may give the group version: that of its folder, and those of its group in either dialect */
export function namesOf({ identity }: ModelData, { folder, group, version }: Pick<GroupVersion, 'folder' | 'group' | 'version'>): string[] {
  const dialects = ['cluster', 'kubernetes'] as const;
  const names = dialects.map((dialect) =>
    group.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => identity.names[name]?.[dialect] ?? whole),
  );
  return [folder, ...[group, ...names].map((name) => (name === '' ? version : `${name}/${version}`))];
}

/**
 * @param names names of kinds; [] for all of the version
 * @returns the kinds with their list kinds
 * @throws UsageError for a kind that the version does not have
 */
export function kindsNamed(all: ModelData, groupVersion: GroupVersion, names: readonly string[]): StructModel[] {
  const kinds = kindsOf(all).flatMap((each) => (each.groupVersion.folder === groupVersion.folder ? [each.kind] : []));
  if (names.length === 0) return kinds;
  const chosen = names.map((name) => {
    const kind = kinds.find((each) => each.name === name);
    if (kind === undefined) throw new UsageError(`${groupVersion.folder} has no kind ${name}`);
    return kind;
  });
  return kinds.filter((kind) => chosen.some((each) => each === kind || each.list === kind.name));
}

/**
 * Finds the kinds that `kindsNamed` gives, as far as they can be changed.
 * @param refusal says why a kind cannot be changed. If all kinds are meant, such kinds are left out
 * @throws UsageError for a named kind that cannot be changed, and if no kind is left
 */
export function kindsToChange(
  all: ModelData,
  groupVersion: GroupVersion,
  names: readonly string[],
  refusal: (kind: StructModel) => string | undefined,
): StructModel[] {
  const kinds = kindsNamed(all, groupVersion, names);
  const open = kinds.filter((kind) => refusal(kind) === undefined);
  const refused = kinds.find((kind) => !open.includes(kind));
  if (refused !== undefined && (names.length > 0 || open.length === 0))
    throw new UsageError(`${groupVersion.folder} ${refused.name} ${refusal(refused)}`);
  return open;
}

/** @returns the release that removed the kind, if the current release or an earlier one did: what is out does not change */
export function goneSince({ lifecycle }: StructModel, { currentRelease }: ModelData): string | undefined {
  const removed = lifecycle?.removed;
  return removed !== undefined && compareReleases(removed, currentRelease) <= 0 ? removed : undefined;
}

/**
 * A release that is out does not change, so a change comes with the release after the current one, if that is known.
 * @param stated the value of --in
 * @throws UsageError for a release that is not known
 */
export function releaseOfChange({ releases, currentRelease }: ModelData, stated: string | undefined): string {
  const calendar = new ReleaseCalendar(releases);
  const release = stated ?? calendar.after(currentRelease) ?? currentRelease;
  if (!calendar.has(release)) throw new UsageError(`there is no release ${release} in schemas/releases.yaml: add it with its date`);
  return release;
}

/**
 * The current release may introduce kinds that definitions brought, because they are there already.
 * @param stated the value of --in
 * @throws UsageError for a release that is not known, or that is out
 */
export function releaseOfImport(all: ModelData, stated: string | undefined): string {
  const release = releaseOfChange(all, stated ?? all.currentRelease);
  if (compareReleases(release, all.currentRelease) < 0) throw new UsageError(`${release} is out: it cannot introduce a kind any more`);
  return release;
}

/** @returns the path in a document of a kind's lifecycle, or of a member of that */
export function lifecyclePath({ name }: Pick<StructModel, 'name'>, member?: string): string[] {
  return ['components', 'schemas', name, 'x-cluster-lifecycle', ...(member === undefined ? [] : [member])];
}
