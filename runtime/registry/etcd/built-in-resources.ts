/** The values of all resources of the schemas, by their keys. Kinds are loaded when the first value of their resource is read or written. */

import { isSame } from '../emulation/noted-versions.ts';
import { type StoredResource, type StoredVersionsParts, storedKindsOf, storedResources } from '../emulation/stored-versions.ts';
import type { Kind } from '../kinds/kind.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import type { KindSource } from '../kinds/kind-source.ts';
import { BuiltInValues } from './built-in-values.ts';
import { LEASE_VALUES_OF, serverLeasesAt } from './server-leases.ts';
import type { WrittenForm } from './value-form.ts';

export class BuiltInResources {
  readonly #parts: StoredVersionsParts;
  readonly #form: WrittenForm;
  readonly #resources: ReadonlyMap<string, StoredResource>;
  readonly #values = new Map<string, BuiltInValues>();
  readonly #loading = new Map<string, Promise<BuiltInValues>>();
  #past: Promise<KindSource> | undefined;

  constructor(parts: StoredVersionsParts, form: WrittenForm) {
    this.#parts = parts;
    this.#form = form;
    // those of structural schemas have no protobuf, and stand in etcd as custom resources do
    const found = storedResources(parts, ({ structural }) => structural !== true);
    this.#resources = new Map(found.map((each) => [each.prefix, each]));
  }

  /** @param prefix of a key, without a slash at the end. @returns undefined where no resource of the schemas has it; a promise where its kinds are not loaded */
  of(prefix: string): BuiltInValues | Promise<BuiltInValues> | undefined {
    return this.#ofResource(serverLeasesAt(prefix) === undefined ? prefix : LEASE_VALUES_OF);
  }

  #ofResource(prefix: string): BuiltInValues | Promise<BuiltInValues> | undefined {
    const known = this.#values.get(prefix) ?? this.#loading.get(prefix);
    if (known !== undefined) return known;
    const resource = this.#resources.get(prefix);
    if (resource === undefined) return undefined;
    const loading = this.#load(resource);
    this.#loading.set(prefix, loading);
    return loading;
  }

  async #load(resource: StoredResource): Promise<BuiltInValues> {
    const { prefix, fields, isJsonInEtcd } = resource;
    try {
      const { hubKind: hub, writtenKind: written } = await storedKindsOf(resource, this.#parts.builtIn);
      const inEtcd = await this.#kindInEtcd(resource, written);
      const form = isJsonInEtcd ? 'json' : this.#form;
      const values = new BuiltInValues({ hub, written, inEtcd, fields, form, find: (...names) => this.#find(...names) });
      this.#values.set(prefix, values);
      return values;
    } finally {
      // what failed is tried again
      this.#loading.delete(prefix);
    }
  }

  async #kindInEtcd({ prefix, written, inEtcd }: StoredResource, writtenKind: Kind): Promise<Kind> {
    if (isSame(inEtcd, written)) return writtenKind;
    const { group, version, kind } = inEtcd;
    const found = await this.#find(gvKey(group, version), kind);
    if (found === undefined)
      throw new Error(`nothing is known here of ${gvKey(group, version)} ${kind}, which stands in etcd below ${prefix}/`);
    return found;
  }

  async #find(apiVersion: string, kind: string): Promise<Kind | undefined> {
    const slash = apiVersion.indexOf('/');
    const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
    const { kinds, storedKinds } = this.#parts.builtIn;
    for (const source of [kinds, storedKinds]) if (await source.has(group, version, kind)) return source.kind(group, version, kind);
    this.#past ??= this.#loadPast();
    const past = await this.#past;
    return (await past.has(group, version, kind)) ? past.kind(group, version, kind) : undefined;
  }

  /** What versions were before they were removed is loaded where one is met. */
  async #loadPast(): Promise<KindSource> {
    return this.#parts.builtIn.kindsOf((await this.#parts.loadPast()).hubs);
  }
}
