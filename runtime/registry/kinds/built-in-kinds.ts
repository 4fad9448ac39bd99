/** The kinds of the schemas: the heavy part of a group version is loaded when one of its kinds is first used. */
import type { GroupVersionData, GroupVersionModule } from '../../contract/kind.ts';
import type { Kind } from './kind.ts';
import { gvKey, KindLoader, type KindLoaderParts } from './kind-loader.ts';
import type { KindSource } from './kind-source.ts';

export class BuiltInKinds implements KindSource {
  readonly #all: ReadonlyMap<string, GroupVersionData>;
  readonly #modules = new Map<string, Promise<GroupVersionModule>>();
  readonly #kinds: KindLoader;
  readonly #hubs: BuiltInKinds | undefined;

  /**
   * @param all group versions, served or not, by their names as `gvKey` joins them
   * @param hubs has the kinds to which others are converted; absent: they are here
   */
  constructor(all: ReadonlyMap<string, GroupVersionData>, parts: Omit<KindLoaderParts, 'module' | 'hubs'>, hubs?: BuiltInKinds) {
    this.#all = all;
    this.#hubs = hubs;
    const module = (group: string, version: string) => this.#module(group, version);
    this.#kinds = new KindLoader({ ...parts, module, ...(hubs !== undefined && { hubs: hubs.#kinds }) });
  }

  loaded(group: string, version: string, kind: string): Kind | undefined {
    return this.#kinds.loaded(group, version, kind);
  }

  /** Does the same as `loaded` for a kind that others are converted to. */
  loadedHub(group: string, version: string, kind: string): Kind | undefined {
    return (this.#hubs ?? this).loaded(group, version, kind);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#all.has(gvKey(group, version));
  }

  async has(group: string, version: string, kind: string): Promise<boolean> {
    if (!this.hasVersion(group, version)) return false;
    return Object.hasOwn((await this.#module(group, version)).kinds, kind);
  }

  kind(group: string, version: string, kind: string): Promise<Kind> {
    return this.#kinds.kind(group, version, kind);
  }

  #module(group: string, version: string): Promise<GroupVersionModule> {
    const key = gvKey(group, version);
    let module = this.#modules.get(key);
    if (module === undefined) {
      const data = this.#all.get(key);
      if (data === undefined) throw new Error(`no schema has the version ${key}`);
      module = data.load();
      this.#modules.set(key, module);
    }
    return module;
  }
}
