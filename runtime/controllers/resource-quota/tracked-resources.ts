/** Which resources the names of a quota are about. */
import type { Evaluator } from '../../admission/resource-quota/evaluator.ts';
import { type Evaluators, isCounted } from '../../admission/resource-quota/evaluators/evaluators.ts';
import type { requirementsOf } from '../../admission/resource-quota/scopes.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';

export interface TrackedResource {
  readonly resource: Resource;
  readonly evaluator: Evaluator;
  /** the names in the quota that its objects count for */
  readonly names: readonly string[];
}

/** The tracked resources by the prefixes of their keys, without a slash at the end. */
export type TrackedResources = ReadonlyMap<string, TrackedResource>;

/** What a quota requires of the objects that it counts. */
export type Requirements = ReturnType<typeof requirementsOf>;

/** Whether the number of objects is all that counts. */
export const isPlain = ({ evaluator, names }: TrackedResource, requirements: Requirements): boolean =>
  requirements.length === 0 && names.every((name) => evaluator.plain.has(name));

type Countable = Omit<TrackedResource, 'names'>;

/** The resources that quotas may count, as they are served at a certain time. */
interface Countables {
  readonly special: readonly Countable[];
  /** the resources of which each object counts as one, by the names in quotas */
  readonly plain: ReadonlyMap<string, Countable>;
}

/** @returns a promise where there are many names; names of what is not served are of none */
export function trackedResources(
  names: readonly string[],
  evaluators: Evaluators,
  registry: RegistrySnapshot,
): TrackedResources | Promise<TrackedResources> {
  const { special, plain } = countables(evaluators, registry);
  const found = new Map<string, Countable & { readonly names: string[] }>();
  const going = eachInTurns(names, (name) => {
    const countable = special.find(({ evaluator }) => evaluator.counts(name)) ?? plain.get(name);
    if (countable === undefined) return;
    const prefix = storagePrefix(countable.resource, '').slice(0, -1);
    const others = found.get(prefix);
    if (others === undefined) found.set(prefix, { ...countable, names: [name] });
    else others.names.push(name);
  });
  return going === undefined ? found : going.then(() => found);
}

/** What was found for each snapshot. */
const made = new WeakMap<RegistrySnapshot, Countables>();

function countables(evaluators: Evaluators, registry: RegistrySnapshot): Countables {
  let known = made.get(registry);
  if (known === undefined) {
    known = makeCountables(evaluators, registry);
    made.set(registry, known);
  }
  return known;
}

function makeCountables(evaluators: Evaluators, registry: RegistrySnapshot): Countables {
  const all: Countable[] = [];
  for (const { group, version, resources } of registry.groupVersions)
    for (const { name } of resources) {
      const resource = registry.resource(group, version, name);
      if (resource !== undefined && isCounted(resource)) all.push({ resource, evaluator: evaluators.of(resource.groupResource) });
    }
  const isSpecial = ({ resource: { groupResource } }: Countable): boolean =>
    evaluators.special.some(({ group, resource }) => group === groupResource.group && resource === groupResource.resource);
  const plain = new Map<string, Countable>();
  // the first version is the preferred one
  for (const each of all) for (const name of each.evaluator.plain) if (!plain.has(name)) plain.set(name, each);
  return { special: all.filter(isSpecial), plain };
}
