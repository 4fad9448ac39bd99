/** Runs `cluster-schema promote`: makes a version the one that is stored and preferred. */
import { PromotionError, promote } from '../edit/promote.ts';
import { type Command, UsageError } from './command.ts';
import { changeSchemas, groupVersionOf } from './lifecycle-change.ts';

export const usage = `usage: cluster-schema promote GROUP/VERSION

Makes a version the one that its kinds are stored as, and that discovery prefers: the other versions are converted to it, and it gets the tables. It
refuses what rule 4b of the deprecation policy forbids: a release must have served both versions before.`;

export const run: Command = (root, args) => {
  const [text, ...others] = args;
  if (text === undefined || text.startsWith('-') || others.length > 0) throw new UsageError('which GROUP/VERSION?');
  return changeSchemas(root, ({ model: { all } }, files) => {
    const version = groupVersionOf(all, text);
    try {
      const kinds = promote(all, version, files);
      const rules = new Set(
        version.types.flatMap((type) =>
          type.kind === 'struct' && kinds.includes(type.name) && type.rules !== undefined ? [type.rules] : [],
        ),
      );
      return [
        ...(kinds.length === 0 ? [] : [`${kinds.join(', ')} ${kinds.length === 1 ? 'is' : 'are'} stored as ${version.folder}.`]),
        `${version.folder} is the preferred version of its group.`,
        ...[...rules].map(
          (name) => `runtime/kinds/${name}.ts gets objects of ${version.version} from now on: let it import the types of that version.`,
        ),
        'Next: make generate.',
      ];
    } catch (error) {
      if (error instanceof PromotionError) throw new UsageError(error.message);
      throw error;
    }
  });
};
