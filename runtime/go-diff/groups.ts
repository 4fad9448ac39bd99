/** Runs of neighbours that are equal, or that differ, and what is said of those that are not shown. */
export interface Group {
  readonly identical: number;
  readonly removed: number;
  readonly inserted: number;
  readonly modified: number;
}

export const EMPTY_GROUP: Group = { identical: 0, removed: 0, inserted: 0, modified: 0 };

export type GroupMember = keyof Group;

export const differences = ({ removed, inserted, modified }: Group): number => removed + inserted + modified;

export function sum(a: Group, b: Group): Group {
  return {
    identical: a.identical + b.identical,
    removed: a.removed + b.removed,
    inserted: a.inserted + b.inserted,
    modified: a.modified + b.modified,
  };
}

/** Equal and different members take turns. */
export function groupsOf(members: Iterable<GroupMember>): Group[] {
  const groups: Record<GroupMember, number>[] = [];
  let wasIdentical: boolean | undefined;
  for (const member of members) {
    const isIdentical = member === 'identical';
    if (isIdentical !== wasIdentical) groups.push({ ...EMPTY_GROUP });
    wasIdentical = isIdentical;
    (groups.at(-1) as Record<GroupMember, number>)[member]++;
  }
  return groups;
}

/** Such as `6 identical fields`, `1 removed and 2 inserted entries`. @param noun in the singular */
export function describeGroup(group: Group, noun: string): string {
  const parts = (['identical', 'removed', 'inserted', 'modified'] as const)
    .filter((member) => group[member] > 0)
    .map((member) => `${group[member]} ${member}`);
  const total = group.identical + differences(group);
  const name = total > 1 ? `${noun}s`.replace(/ys$/, 'ies') : noun;
  const last = parts.pop() ?? '';
  if (parts.length === 0) return `${last} ${name}`;
  return `${parts.join(', ')}${parts.length > 1 ? ',' : ''} and ${last} ${name}`;
}

/** How many members of an equal run are shown, at its start and at its end, beside what differs. */
export function context(
  equal: number,
  size: number,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): { low: number; high: number } {
  const low = isFirst ? 0 : Math.min(size, equal);
  const high = isLast ? 0 : Math.min(size, equal - low);
  return { low, high };
}
