/** Several configurations as one: of each name, and of what is there once, the first one that says it counts. */
import { type Configuration, EMPTY_CONFIGURATION } from './configuration.ts';

/** @param configurations those that count most first */
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

/** Nothing is merged within an entry. */
function mergedMap<T>(first: ReadonlyMap<string, T>, second: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...first, ...[...second].filter(([name]) => !first.has(name))]);
}

function mergedExtensions(first: ReadonlyMap<string, unknown> = new Map(), second: ReadonlyMap<string, unknown> = new Map()) {
  const extensions = mergedMap(first, second);
  return extensions.size === 0 ? {} : { extensions };
}
