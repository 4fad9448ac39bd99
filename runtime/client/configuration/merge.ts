/** Merges several configurations. For each name, and for each member that exists once, the first configuration that states it wins. */
import { type Configuration, EMPTY_CONFIGURATION } from './configuration.ts';

/** @param configurations earlier ones take precedence */
export function mergeConfigurations(configurations: readonly Configuration[]): Configuration {
  return configurations.reduce(
    (merged, next): Configuration => ({
      preferences: {
        ...((merged.preferences.colors || next.preferences.colors) && { colors: true }),
        ...mergedExtensions(merged.preferences.extensions, next.preferences.extensions),
      },
      clusters: mergedMap(merged.clusters, next.clusters),
      users: mergedMap(merged.users, next.users),
      contexts: mergedMap(merged.contexts, next.contexts),
      currentContext: merged.currentContext || next.currentContext,
      extensions: mergedMap(merged.extensions, next.extensions),
    }),
    EMPTY_CONFIGURATION,
  );
}

/** Takes whole entries: two entries of one name are not mixed. */
function mergedMap<T>(first: ReadonlyMap<string, T>, second: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...first, ...[...second].filter(([name]) => !first.has(name))]);
}

function mergedExtensions(first: ReadonlyMap<string, unknown> = new Map(), second: ReadonlyMap<string, unknown> = new Map()) {
  const extensions = mergedMap(first, second);
  return extensions.size === 0 ? {} : { extensions };
}
