/** Runs `cluster-schema remove`: states in which release a version, or some of its kinds, is no longer served. */
import { parseArgs } from 'node:util';
import type { StructModel } from '../model/model.ts';
import { type Command, UsageError } from './command.ts';
import { changeSchemas, goneSince, groupVersionOf, kindsToChange, lifecyclePath, releaseOfChange } from './lifecycle-change.ts';

export const usage = `usage: cluster-schema remove GROUP/VERSION [KIND]... --in RELEASE

Says in the lifecycles of a version, or of some of its kinds, which release is the first that does not serve them. Their schemas stay, so that objects
that were stored can be read. It refuses what rule 4a of the deprecation policy forbids, and says from which release on it is allowed.`;

export const run: Command = (root, args) => {
  const { text, names, stated } = parse(args);
  return changeSchemas(root, ({ model: { all } }, files) => {
    const release = releaseOfChange(all, stated);
    const groupVersion = groupVersionOf(all, text);
    const document = files.document(groupVersion.source);
    const refusal = (kind: StructModel): string | undefined => {
      const gone = goneSince(kind, all);
      return gone === undefined ? undefined : `is not served since ${gone}`;
    };
    for (const kind of kindsToChange(all, groupVersion, names, refusal)) document.set(lifecyclePath(kind, 'removed'), release);
    return [`${groupVersion.folder} is removed in ${release}. Its schemas stay: they read what was stored. Next: make generate.`];
  });
};

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { in: { type: 'string' } } });
    const [text, ...names] = positionals;
    if (text === undefined) throw new Error('which GROUP/VERSION?');
    if (values.in === undefined) throw new Error('--in RELEASE is missing');
    return { text, names, stated: values.in };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
