/** The releases of which a server can have the API: from the oldest one of which the schemas state everything to the current one. */
import { compareReleases, type Ended, isThere, type Lifespan } from '../../../runtime/contract/lifespan.ts';
import type { Model } from '../../model/model.ts';

type Span = { readonly [M in keyof Lifespan]?: Lifespan[M] | undefined };

export class Window {
  readonly oldest: string;
  readonly current: string;
  /** All releases of the window, oldest first. */
  readonly releases: readonly string[];

  constructor({ oldestRelease, release: current, releases }: Pick<Model, 'oldestRelease' | 'release' | 'releases'>) {
    this.oldest = oldestRelease;
    this.current = current;
    this.releases = releases
      .map(({ name }) => name)
      .filter((name) => compareReleases(oldestRelease, name) <= 0 && compareReleases(name, current) <= 0);
  }

  /** @returns the lifespan as far as it begins or ends within the window; undefined if no release of the window lies in it */
  within({ since, until }: Span): Lifespan | undefined {
    const stated = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
    if (!this.releases.some((release) => isThere(stated, release))) return undefined;
    const begins = since !== undefined && compareReleases(since, this.oldest) > 0;
    const ends = until !== undefined && compareReleases(until, this.current) <= 0;
    return { ...(begins && { since }), ...(ends && { until }) };
  }

  /** @returns what `within` gives for the time in which both are there */
  both(one: Span, other: Span): Lifespan | undefined {
    const [since] = [one.since, other.since].filter((each) => each !== undefined).sort((a, b) => compareReleases(b, a));
    const [until] = [one.until, other.until].filter((each) => each !== undefined).sort(compareReleases);
    return this.within({ since, until });
  }

  /** Does the same as `within` to every entry of a list and every member of an object, at any depth; those that no release has are left out. */
  dated<T>(value: T): T {
    if (Array.isArray(value)) return value.flatMap((entry) => this.#entry(entry)) as T;
    if (!isObject(value)) return value;
    const { since, until, ...members } = value as Lifespan;
    const kept = Object.entries(members).flatMap(([name, member]) => this.#entry(member).map((each) => [name, each]));
    return { ...Object.fromEntries(kept), ...this.within({ since, until }) } as T;
  }

  #entry(value: unknown): unknown[] {
    return isObject(value) && this.within(value as Lifespan) === undefined ? [] : [this.dated(value)];
  }

  /**
   * @param lifespan the releases that have the thing in whatever form
   * @param earlier its earlier forms, oldest first
   * @param form its form of today
   * @returns its forms in this order, each with the releases of the window that had it; those that none had are left out
   */
  forms<T>(lifespan: Lifespan, earlier: readonly (Ended & { readonly form: T })[], form: T): { form: T; lifespan: Lifespan }[] {
    const found: { form: T; lifespan: Lifespan }[] = [];
    let { since } = lifespan;
    for (const each of [...earlier, { form, until: lifespan.until }]) {
      const span = this.within({ since, until: each.until });
      if (span !== undefined) found.push({ form: each.form, lifespan: span });
      since = each.until;
    }
    return found;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
