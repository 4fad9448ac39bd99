/** Where in the cluster volumes of a class may be made. */
import type { TopologySelectorTerm } from '../../../generated/core/v1/types.ts';
import { duplicate, type FieldError } from '../../contract/field-error.ts';

/** Each term may be a duplicate of all others: what is told of them may not grow with their square. */
const MAX_DUPLICATES = 10_000;

/** 1.32 compares each term with as many empty ones as there are terms, too: an empty term is a duplicate of all of these. */
export class TermCounts {
  readonly #seen: Map<string, number>;
  #left = MAX_DUPLICATES;

  constructor(terms: readonly TopologySelectorTerm[]) {
    this.#seen = new Map([[termText({}), terms.length]]);
  }

  /** How often the term was there before, as far as that is still told. */
  before(term: TopologySelectorTerm): number {
    const text = termText(term);
    const alike = this.#seen.get(text) ?? 0;
    this.#seen.set(text, alike + 1);
    const told = Math.min(alike, this.#left);
    this.#left -= told;
    return told;
  }
}

export function termCounts({ allowedTopologies }: { readonly allowedTopologies?: readonly TopologySelectorTerm[] }): TermCounts {
  return new TermCounts(allowedTopologies ?? []);
}

export function distinctTerm(term: TopologySelectorTerm, _old: unknown, _context: unknown, counts: TermCounts): readonly FieldError[] {
  return Array.from({ length: counts.before(term) }, () => duplicate('.matchLabelExpressions', ''));
}

/** The same for terms that say the same; of expressions with the same key the last counts. */
function termText({ matchLabelExpressions }: TopologySelectorTerm): string {
  const values = new Map((matchLabelExpressions ?? []).map((each) => [each.key, [...new Set(each.values)].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}
