/** The priority classes that every cluster has. */
export const systemClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
] as const;

/** Their values by name. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map(systemClasses.map(({ name, value }) => [name, value]));
