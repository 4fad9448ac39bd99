/** What readers ask for, as query parameters and as what must come of them. */
import type { Version } from './history.ts';
import type { Random } from './random.ts';

export interface Selection {
  /** '' for all */
  readonly namespace: string;
  readonly query: Readonly<Record<string, string>>;
  matches(this: void, version: Version): boolean;
}

export const TIERS = ['a', 'b', 'c', ''] as const;
export const TYPES = ['example.com/x', 'example.com/y'] as const;

type Choice = readonly [query: Readonly<Record<string, string>>, matches: (version: Version) => boolean];

const LABELS: readonly Choice[] = [
  [{}, () => true],
  [{}, () => true],
  [{ labelSelector: 'tier=a' }, ({ tier }) => tier === 'a'],
  [{ labelSelector: 'tier in (a,b)' }, ({ tier }) => tier === 'a' || tier === 'b'],
  [{ labelSelector: 'tier!=a' }, ({ tier }) => tier !== 'a'],
  [{ labelSelector: 'tier notin (a,c)' }, ({ tier }) => tier !== 'a' && tier !== 'c'],
  [{ labelSelector: '!tier' }, ({ tier }) => tier === ''],
  [{ labelSelector: 'tier' }, ({ tier }) => tier !== ''],
  [{ labelSelector: 'tier=none' }, () => false],
];

function fields(random: Random, names: readonly string[]): Choice {
  const [name, type] = [random.of(names), random.of(TYPES)];
  return random.of<Choice>([
    [{}, () => true],
    [{}, () => true],
    [{}, () => true],
    [{ fieldSelector: `metadata.name=${name}` }, (version) => version.name === name],
    [{ fieldSelector: `metadata.name!=${name}` }, (version) => version.name !== name],
    [{ fieldSelector: `type=${type}` }, (version) => version.type === type],
    [{ fieldSelector: `type!=${type},metadata.name!=${name}` }, (version) => version.type !== type && version.name !== name],
  ]);
}

export function randomSelection(random: Random, namespaces: readonly string[], names: readonly string[]): Selection {
  const namespace = random.below(2) === 0 ? '' : random.of(namespaces);
  const [labelQuery, labelsMatch] = random.of(LABELS);
  const [fieldQuery, fieldsMatch] = fields(random, names);
  return {
    namespace,
    query: { ...labelQuery, ...fieldQuery },
    matches: (version) => (namespace === '' || version.namespace === namespace) && labelsMatch(version) && fieldsMatch(version),
  };
}
