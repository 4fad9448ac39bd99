/** Knows the kinds of manifests: those of the schemas, by the names of either dialect, and those of definitions. */
import type { Dialect } from '../../runtime/contract/identity.ts';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { convertObject } from './convert-object.ts';
import { type DefinedKind, type DefinedVersion, definedKind } from './defined-kinds.ts';
import { type GeneratedKinds, type KnownKind, KnownKinds } from './known-kinds.ts';
import { manifestDocuments } from './manifest-documents.ts';
import { ManifestError } from './manifest-error.ts';
import { readManifestFiles } from './manifest-files.ts';

/** A kind, with what knows it. `version` is undefined if the definition does not have the version that was asked for. */
export type FoundKind =
  | { readonly by: 'schemas'; readonly kinds: KnownKinds; readonly known: KnownKind }
  | { readonly by: 'definition'; readonly defined: DefinedKind; readonly version: DefinedVersion | undefined };

const DEFINITION = 'CustomResourceDefinition';

/** Kinds of definitions come before those of the schemas. */
export class ManifestKinds {
  /** The kinds of both dialects, first those of the one that counts where a name belongs to both. */
  readonly dialects: readonly KnownKinds[];
  readonly #defined = new Map<string, DefinedKind>();

  constructor(generated: GeneratedKinds, dialect: Dialect) {
    const other = dialect === 'cluster' ? 'kubernetes' : 'cluster';
    this.dialects = [new KnownKinds(generated, dialect), new KnownKinds(generated, other)];
  }

  /** @returns undefined for a kind that neither a schema nor a definition has */
  async find(apiVersion: string, kind: string): Promise<FoundKind | undefined> {
    const [group, version] = groupAndVersion(apiVersion);
    const defined = this.#defined.get(`${kind}.${group}`);
    if (defined !== undefined) return { by: 'definition', defined, version: defined.versions.find(({ name }) => name === version) };
    for (const kinds of this.dialects) {
      const known = await kinds.find(apiVersion, kind);
      if (known !== undefined) return { by: 'schemas', kinds, known };
    }
    return undefined;
  }

  hasGroupVersion(apiVersion: string): boolean {
    const [group, version] = groupAndVersion(apiVersion);
    const isDefined = [...this.#defined.values()].some(
      (each) => each.group === group && each.versions.some(({ name }) => name === version),
    );
    return isDefined || this.dialects.some((kinds) => kinds.hasGroupVersion(apiVersion));
  }

  versionsOfGroup(group: string): string[] {
    const defined = [...this.#defined.values()].filter((each) => each.group === group);
    const names = defined.flatMap(({ versions }) => versions.map(({ name }) => `${group}/${name}`));
    return [...new Set([...names, ...this.dialects.flatMap((kinds) => kinds.versionsOfGroup(group))])];
  }

  /** @returns the kind of those objects of a typed list that do not state theirs; undefined for a list that is not known */
  async itemKind(apiVersion: string, listKind: string): Promise<string | undefined> {
    const found = await this.find(apiVersion, listKind);
    if (found?.by === 'schemas') return (await found.kinds.itemKindOf(found.known))?.kind;
    const itemKind = listKind.replace(/List$/, '');
    return (await this.find(apiVersion, itemKind)) === undefined ? undefined : itemKind;
  }

  /**
   * Takes in the definitions that files have, of any version; other objects are passed over.
   * @param places files, and folders of which all files at any depth are read
   * @throws ManifestError for a place without a definition, and for definitions that cannot be read
   */
  async define(places: readonly string[]): Promise<void> {
    for (const place of places) {
      let count = 0;
      for (const file of readManifestFiles([place], true))
        for (const { value, line } of manifestDocuments(file))
          for (const object of definitionsIn(value)) {
            count++;
            this.#add(await this.#definition(object, file.name, line), file.name, line);
          }
      if (count === 0) throw new ManifestError(place, undefined, `it has no ${DEFINITION}.`);
    }
  }

  #add(definition: JsonObject, file: string, line: number): void {
    let kind: DefinedKind;
    try {
      kind = definedKind(definition);
    } catch (error) {
      throw new ManifestError(file, line, (error as Error).message);
    }
    const key = `${kind.kind}.${kind.group}`;
    if (this.#defined.has(key)) throw new ManifestError(file, line, `${kind.name} is defined twice.`);
    this.#defined.set(key, kind);
  }

  async #definition(object: JsonObject, file: string, line: number): Promise<JsonObject> {
    const found = await this.find(String(object.apiVersion), DEFINITION);
    if (found?.by !== 'schemas') throw new ManifestError(file, line, `a ${DEFINITION} of ${String(object.apiVersion)} is not known.`);
    const { kinds, known } = found;
    const to = await kinds.find(`${known.group}/v1`, DEFINITION);
    if (to === undefined || to.apiVersion === known.apiVersion) return object;
    return (await convertObject(kinds, object, { from: known, to, withDefaults: false })).value;
  }
}

function definitionsIn(value: JsonObject | undefined): JsonObject[] {
  const objects = Array.isArray(value?.items) ? value.items : [value];
  return objects.filter((object): object is JsonObject => isObject(object) && object.kind === DEFINITION);
}

/** @returns the parts of an apiVersion; the group is '' if there is no slash */
export function groupAndVersion(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.lastIndexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
