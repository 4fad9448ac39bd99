/** Runs `cluster-schema deprecate`: announces that a version, or some of its kinds, will go. */
import { parseArgs } from 'node:util';
import type { Lifecycle } from '../../runtime/contract/kind.ts';
import { compareVersions } from '../../runtime/contract/version-priority.ts';
import { compareReleases } from '../model/lifespan.ts';
import type { GroupVersion, ModelData, StructModel } from '../model/model.ts';
import { isServed, sameKind } from '../policy/elements/kinds.ts';
import { KindFamilies } from '../policy/lifecycles/families.ts';
import { isLessStable, stabilityOf } from '../policy/stability.ts';
import { type Command, UsageError } from './command.ts';
import { changeSchemas, goneSince, groupVersionOf, kindsToChange, lifecyclePath, releaseOfChange } from './lifecycle-change.ts';

export const usage = `usage: cluster-schema deprecate GROUP/VERSION [KIND]... [--in RELEASE] [--replacement GROUP/VERSION]

Says in the lifecycles of a version, or of some of its kinds, since when they are deprecated and what replaces them. It refuses what rule 3 of the
deprecation policy forbids.

  --in RELEASE                  the release that announces it; the one after the current one without it
  --replacement GROUP/VERSION   what to use instead; the newest version without it that is at least as stable`;

export const run: Command = (root, args) => {
  const { text, names, stated, by } = parse(args);
  return changeSchemas(root, ({ model: { all } }, files) => {
    const release = releaseOfChange(all, stated);
    const groupVersion = groupVersionOf(all, text);
    const named = by === undefined ? undefined : groupVersionOf(all, by);
    if (named?.folder === groupVersion.folder) throw new UsageError(`${named.folder} cannot replace itself`);
    const document = files.document(groupVersion.source);
    const refusal = (kind: StructModel): string | undefined => {
      const gone = goneSince(kind, all);
      if (gone !== undefined) return `is not served since ${gone}`;
      return isDeprecated(kind.lifecycle, release) ? `is deprecated in ${kind.lifecycle?.deprecated} already` : undefined;
    };
    for (const kind of kindsToChange(all, groupVersion, names, refusal)) {
      document.set(lifecyclePath(kind, 'deprecated'), release);
      const replacement = replacementOf(all, groupVersion, kind, named, release);
      if (replacement !== undefined) document.set(lifecyclePath(kind, 'replacement'), replacement);
    }
    return [`${groupVersion.folder} is deprecated in ${release}. Next: make generate.`];
  });
};

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { in: { type: 'string' }, replacement: { type: 'string' } },
    });
    const [text, ...names] = positionals;
    if (text === undefined) throw new Error('which GROUP/VERSION?');
    return { text, names, stated: values.in, by: values.replacement };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError if the named version does not have the kind */
function replacementOf(
  all: ModelData,
  groupVersion: GroupVersion,
  kind: StructModel,
  named: GroupVersion | undefined,
  release: string,
): Lifecycle['replacement'] {
  const asReplacement = (other: GroupVersion, name: string) => ({ group: other.group, version: other.version, kind: name });
  if (named !== undefined) {
    if (sameKind(all, { groupVersion: named, kind }) === undefined) throw new UsageError(`${named.folder} has no kind ${kind.name}`);
    return asReplacement(named, kind.name);
  }
  const others = new KindFamilies(all)
    .othersOf({ groupVersion, kind })
    .filter(
      (other) =>
        other.kind.name === kind.name &&
        isServed(other.kind, release) &&
        !isDeprecated(other.kind.lifecycle, release) &&
        !isLessStable(stabilityOf(other.groupVersion.version), stabilityOf(groupVersion.version)),
    );
  const [newest] = others.sort((a, b) => compareVersions(a.groupVersion.version, b.groupVersion.version));
  return newest === undefined ? kind.lifecycle?.replacement : asReplacement(newest.groupVersion, newest.kind.name);
}

function isDeprecated(lifecycle: Lifecycle | undefined, release: string): boolean {
  return lifecycle?.deprecated !== undefined && compareReleases(lifecycle.deprecated, release) <= 0;
}
