/** What the status of a terminating namespace says of its content, in the words of 1.32. */
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';

/** The result of a round of deletion. */
export interface ContentReport {
  /** the problem with other servers that do not tell what they have; absent if all tell it */
  readonly undiscovered?: string;
  /** messages, one for each resource whose objects could not be deleted */
  readonly failures: readonly string[];
  /** the number of objects that are left, by the resource as `name.group` */
  readonly remaining: ReadonlyMap<string, number>;
  /** objects that have them, by finalizer */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Outcome {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

interface Condition extends Outcome {
  readonly type: string;
  readonly lastTransitionTime: string;
}

/** Makes the conditions, in the order in which they are appended to the status. */
export function namespaceConditions({ undiscovered, failures, remaining, finalizers }: ContentReport): ReadonlyMap<string, Outcome> {
  return new Map<string, Outcome>([
    [
      'NamespaceDeletionDiscoveryFailure',
      undiscovered === undefined
        ? fine('ResourcesDiscovered', 'All resources successfully discovered')
        : bad('DiscoveryFailed', undiscovered),
    ],
    ['NamespaceDeletionGroupVersionParsingFailure', fine('ParsedGroupVersions', 'All legacy kube types successfully parsed')],
    [
      'NamespaceDeletionContentFailure',
      failures.length === 0
        ? fine('ContentDeleted', 'All content successfully deleted, may be waiting on finalization')
        : bad(
            'ContentDeletionFailed',
            `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
          ),
    ],
    [
      'NamespaceContentRemaining',
      remaining.size === 0
        ? fine('ContentRemoved', 'All content successfully removed')
        : bad('SomeResourcesRemain', `Some resources are remaining: ${counts(remaining, 'has', 'resource instances')}`),
    ],
    [
      'NamespaceFinalizersRemaining',
      finalizers.size === 0
        ? fine('ContentHasNoFinalizers', 'All content-preserving finalizers finished')
        : bad(
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${counts(finalizers, 'in', 'resource instances')}`,
          ),
    ],
  ]);
}

const fine = (reason: string, message: string): Outcome => ({ status: 'False', reason, message });
const bad = (reason: string, message: string): Outcome => ({ status: 'True', reason, message });

function counts(numbers: ReadonlyMap<string, number>, verb: string, what: string): string {
  return [...numbers]
    .map(([name, number]) => `${name} ${verb} ${number} ${what}`)
    .sort()
    .join(', ');
}

/**
 * Changes `namespace`: a condition keeps its time while its status stays.
 * @param now milliseconds since 1970
 */
export function setNamespaceConditions(namespace: ApiObject, outcomes: ReadonlyMap<string, Outcome>, now: number): void {
  const conditions: Partial<Condition>[] = (namespace.status?.conditions ?? []).map((condition: Condition) => ({ ...condition }));
  for (const [type, outcome] of outcomes) {
    const old = conditions.find((condition) => condition.type === type);
    const changed = old?.status === outcome.status ? {} : { lastTransitionTime: timestamp(now) };
    if (old === undefined) conditions.push({ type, ...outcome, ...changed });
    else Object.assign(old, outcome, changed);
  }
  namespace.status = { ...namespace.status, conditions };
}
