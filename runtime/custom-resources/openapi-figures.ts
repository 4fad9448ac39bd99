/** Counts changes of definitions that change OpenAPI documents, under the names of 1.32. The documents themselves are made only when somebody asks for them. */
import { inTurns } from '../event-loop/turns.ts';
import type { Counter, Metrics } from '../observability/metrics.ts';
import type { ResourceDefinition } from '../registry/resources/resource-definition.ts';

type Reason = 'add' | 'update' | 'remove';

export class OpenapiFigures {
  readonly #v2: Counter;
  readonly #v3: Counter;
  /** the hash of what a definition adds to a document, by group version, then by the name of the definition */
  readonly #described = new Map<string, Map<string, string>>();
  /** the counting of the last change, which waits for those before it; undefined if none is under way */
  #counting: Promise<void> | undefined;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    this.#v2 = metrics.counter('apiextensions_openapi_v2_regeneration_count');
    this.#v3 = metrics.counter('apiextensions_openapi_v3_regeneration_count');
  }

  /**
   * Counts a change of a definition after the changes before it. The counting makes way for other work between versions, of which a definition may have many.
   * @param crd the name of the definition
   * @param before what it served; undefined if it served nothing
   * @param now what it serves now; undefined if it serves nothing
   * @param isFirst whether the definition was found at the start of the server, which 1.32 does not count as a change of OpenAPI 2
   */
  changed(crd: string, before: ResourceDefinition | undefined, now: ResourceDefinition | undefined, isFirst: boolean): void {
    const count = (): Promise<void> => inTurns(this.#count(crd, before, now, isFirst));
    const counting = this.#counting === undefined ? count() : this.#counting.then(count);
    this.#counting = counting;
    void counting.then(() => {
      if (this.#counting === counting) this.#counting = undefined;
    });
  }

  *#count(
    crd: string,
    before: ResourceDefinition | undefined,
    now: ResourceDefinition | undefined,
    isFirst: boolean,
  ): Generator<void, void, void> {
    if (!isFirst) this.#v2.inc({ crd, reason: now === undefined ? 'remove' : before === undefined ? 'add' : 'update' });
    const group = (now ?? before)?.group ?? '';
    const hashes = new Map<string, string | undefined>();
    for (const { version } of before?.versions ?? []) hashes.set(version, undefined);
    for (const { version, openapi } of now?.versions ?? []) hashes.set(version, openapi.hash);
    for (const [version, hash] of hashes) {
      const reason = this.#takeIn(`${group}/${version}`, crd, hash);
      if (reason !== undefined) this.#v3.inc({ crd, group, reason, version });
      yield;
    }
  }

  /**
   * Notes what a definition adds to the document of a group version.
   * @param hash the hash of that; undefined if it adds nothing
   * @returns `add` for the first definition of a group version; undefined if the document stays as it is
   */
  #takeIn(groupVersion: string, crd: string, hash: string | undefined): Reason | undefined {
    const known = this.#described.get(groupVersion);
    if (hash === undefined) {
      if (known?.delete(crd) !== true) return undefined;
      if (known.size === 0) this.#described.delete(groupVersion);
      return 'remove';
    }
    if (known?.get(crd) === hash) return undefined;
    if (known === undefined) this.#described.set(groupVersion, new Map([[crd, hash]]));
    else known.set(crd, hash);
    return known === undefined ? 'add' : 'update';
  }
}
