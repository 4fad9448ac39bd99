/** Measures the time between releases. Every limit of the policy is a number of releases and a number of months, of which the longer one counts. */
import type { Release } from '../model/model.ts';

/** A time, counted in releases and in months. */
export interface Span {
  readonly releases: number;
  readonly months: number;
}

/** Time within which a beta version must be deprecated, and for which it must be served after that (rule 4a). */
export const BETA_SPAN: Span = { releases: 3, months: 9 };

/** The dates of all releases that the schemas know, past and planned. */
export class ReleaseCalendar {
  readonly #releases: readonly Release[];
  readonly #indexes: ReadonlyMap<string, number>;

  /** @param releases all releases, oldest first */
  constructor(releases: readonly Release[]) {
    this.#releases = releases;
    this.#indexes = new Map(releases.map(({ name }, index) => [name, index]));
  }

  has(release: string): boolean {
    return this.#indexes.has(release);
  }

  dateOf(release: string): string | undefined {
    return this.#releases[this.#indexes.get(release) ?? -1]?.date;
  }

  /** @returns the next release; undefined for the last one, and for one that is unknown */
  after(release: string): string | undefined {
    const index = this.#indexes.get(release);
    return index === undefined ? undefined : this.#releases[index + 1]?.name;
  }

  before(release: string): string | undefined {
    return this.#releases[(this.#indexes.get(release) ?? 0) - 1]?.name;
  }

  /** Whether the whole span lies between two releases; true if one of them is unknown. */
  isAtLeast(from: string, to: string, { releases, months }: Span): boolean {
    const [first, last] = [this.#indexes.get(from), this.#indexes.get(to)];
    if (first === undefined || last === undefined) return true;
    return last - first >= releases && (this.dateOf(to) as string) >= addMonths(this.dateOf(from) as string, months);
  }

  /** Whether no more than the span lies between two releases; true if one of them is unknown. */
  isAtMost(from: string, to: string, { releases, months }: Span): boolean {
    const [first, last] = [this.#indexes.get(from), this.#indexes.get(to)];
    if (first === undefined || last === undefined) return true;
    return last - first <= releases || (this.dateOf(to) as string) <= addMonths(this.dateOf(from) as string, months);
  }

  /** @returns the first release by which the whole span has passed; undefined if none is known yet */
  firstAfter(from: string, span: Span): string | undefined {
    return this.#releases.find(({ name }) => this.#follows(name, from) && this.isAtLeast(from, name, span))?.name;
  }

  /** @returns the first release by which more than the span has passed; undefined if none is known yet */
  firstBeyond(from: string, span: Span): string | undefined {
    return this.#releases.find(({ name }) => this.#follows(name, from) && !this.isAtMost(from, name, span))?.name;
  }

  /** @returns a release with its date, such as `1.35 (2025-12-17)` */
  named(release: string): string {
    const date = this.dateOf(release);
    return date === undefined ? release : `${release} (${date})`;
  }

  /** @returns in words when the span has passed */
  whenPassed(from: string, span: Span): string {
    const release = this.firstAfter(from, span);
    return release === undefined ? `${span.releases} releases and ${span.months} months after ${this.named(from)}` : this.named(release);
  }

  #follows(release: string, from: string): boolean {
    return (this.#indexes.get(release) as number) > (this.#indexes.get(from) ?? Number.POSITIVE_INFINITY);
  }
}

/** @param date such as `2024-12-11`. In a month that is too short for the day, the last day of that month is taken */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}
