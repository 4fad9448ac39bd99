/** Finds the objects of manifests that a release does not serve, or calls deprecated. */
import { compareReleases } from '../../runtime/contract/lifespan.ts';
import { type DefinedKind, type DefinedVersion, servedVersion } from './defined-kinds.ts';
import { isDeprecated, isServed, type KnownKind, type KnownKinds } from './known-kinds.ts';
import { manifestDocuments } from './manifest-documents.ts';
import { ManifestError } from './manifest-error.ts';
import type { ManifestFile } from './manifest-files.ts';
import type { ManifestKinds } from './manifest-kinds.ts';
import { isList, type ManifestObject, ObjectLines, objectName, objectsOf } from './manifest-objects.ts';

/** How a release treats an object that it does not simply serve. */
export type Standing = 'removed' | 'not yet served' | 'deprecated';

/** One object that a release does not serve, or calls deprecated. */
export interface ManifestFinding {
  readonly file: string;
  /** Line of the file on which the object begins, and number of its document, both counted from 1. */
  readonly line: number;
  readonly document: number;
  readonly apiVersion: string;
  readonly kind: string;
  /** Kind and name of the object, such as `Deployment "shop/web"`. */
  readonly object: string;
  readonly standing: Standing;
  /** The first release that calls it deprecated, and the first that does not serve it any more; undefined if none is stated. */
  readonly deprecatedIn: string | undefined;
  readonly removedIn: string | undefined;
  /** The first release that serves it, if that comes after the release in question; otherwise undefined. */
  readonly introducedIn: string | undefined;
  readonly replacement: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** A sentence about what else is to be known; undefined if there is none. */
  readonly advice: string | undefined;
}

/** The result of a check, with everything that was counted. */
export interface ManifestCheck {
  readonly findings: readonly ManifestFinding[];
  readonly errors: readonly ManifestError[];
  readonly objects: number;
  readonly files: number;
  /** Numbers of objects of kinds that neither a schema nor a definition has, by apiVersion and kind. */
  readonly unknown: ReadonlyMap<string, number>;
}

type Verdict = Omit<ManifestFinding, 'file' | 'line' | 'document' | 'apiVersion' | 'kind' | 'object'>;

/** Checks files one after the other, and collects what it finds. */
export class ManifestChecker {
  readonly #kinds: ManifestKinds;
  readonly #release: string;
  readonly #findings: ManifestFinding[] = [];
  readonly #errors: ManifestError[] = [];
  readonly #unknown = new Map<string, number>();
  #objects = 0;
  #files = 0;

  constructor(kinds: ManifestKinds, release: string) {
    this.#kinds = kinds;
    this.#release = release;
  }

  get result(): ManifestCheck {
    return { findings: this.#findings, errors: this.#errors, objects: this.#objects, files: this.#files, unknown: this.#unknown };
  }

  async checkFile(file: ManifestFile): Promise<void> {
    this.#files++;
    try {
      for (const document of manifestDocuments(file)) {
        const { value, number } = document;
        if (value === undefined) continue;
        const lines = new ObjectLines(document);
        const list = isList(value) ? [{ path: [], value, apiVersion: String(value.apiVersion), kind: String(value.kind) }] : [];
        const objects = await objectsOf(value, (apiVersion, kind) => this.#kinds.itemKind(apiVersion, kind));
        for (const object of [...list, ...objects]) await this.#checkObject(object, { file: file.name, document: number, lines });
      }
    } catch (error) {
      if (error instanceof RangeError) this.#errors.push(new ManifestError(file.name, undefined, error.message));
      else if (error instanceof ManifestError) this.#errors.push(error);
      else throw error;
    }
  }

  async #checkObject(
    object: ManifestObject,
    { file, document, lines }: { file: string; document: number; lines: ObjectLines },
  ): Promise<void> {
    const { apiVersion = 'no apiVersion', kind = 'no kind' } = object;
    if (apiVersion === 'v1' && kind === 'List') return;
    const found = await this.#kinds.find(apiVersion, kind);
    // The objects of a list of a custom kind are judged one by one.
    if (found === undefined && isList(object.value) && (await this.#kinds.itemKind(apiVersion, kind)) !== undefined) return;
    this.#objects++;
    if (found === undefined) {
      const name = `${apiVersion} ${kind}`;
      this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1);
      return;
    }
    const verdict = found.by === 'schemas' ? await this.#verdict(found.kinds, found.known) : definedVerdict(found.defined, found.version);
    if (verdict === undefined) return;
    this.#findings.push({ file, line: lines.of(object), document, apiVersion, kind, object: objectName(object), ...verdict });
  }

  async #verdict(kinds: KnownKinds, known: KnownKind): Promise<Verdict | undefined> {
    const release = this.#release;
    const { introduced, deprecated, removed } = known.data.lifecycle;
    const served = isServed(known, release);
    if (served && !isDeprecated(known, release)) return undefined;
    const isEarly = compareReleases(introduced, release) > 0;
    const other = await this.#replacement(kinds, known);
    const stated = kinds.notices[`${known.folder} ${known.kind}`]?.find(({ path }) => path === '');
    return {
      standing: served ? 'deprecated' : isEarly ? 'not yet served' : 'removed',
      deprecatedIn: deprecated,
      removedIn: removed,
      introducedIn: isEarly ? introduced : undefined,
      replacement: other && { apiVersion: other.apiVersion, kind: other.kind },
      advice: stated && kinds.identity.text(stated.text),
    };
  }

  async #replacement(kinds: KnownKinds, known: KnownKind): Promise<KnownKind | undefined> {
    const item = await kinds.itemKindOf(known);
    const served = await kinds.servedForm(item ?? known, this.#release);
    if (served === undefined || served.apiVersion === known.apiVersion) return undefined;
    return item === undefined ? served : kinds.find(served.apiVersion, served.data.list ?? known.kind);
  }
}

function definedVerdict(defined: DefinedKind, version: DefinedVersion | undefined): Verdict | undefined {
  if (version?.served === true && version.deprecation === undefined) return undefined;
  const served = servedVersion(defined);
  return {
    standing: version?.served === true ? 'deprecated' : 'removed',
    deprecatedIn: undefined,
    removedIn: undefined,
    introducedIn: undefined,
    replacement:
      served === undefined || served === version ? undefined : { apiVersion: `${defined.group}/${served.name}`, kind: defined.kind },
    advice: version?.served === true ? `${version.deprecation}.` : undefined,
  };
}
