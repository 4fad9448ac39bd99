/** Converts the objects of manifests. A document that changes is written anew, every other one stays as it came. */

import { DecodeError } from '../../runtime/schema/codec/codec.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import { isObject, type JsonObject, setMember } from '../../runtime/schema/json/member.ts';
import { convertObject } from './convert-object.ts';
import { type DefinedKind, type DefinedVersion, definedNotices, servedVersion } from './defined-kinds.ts';
import { isServed, type KnownKind, type KnownKinds } from './known-kinds.ts';
import { type ManifestDocument, manifestDocuments } from './manifest-documents.ts';
import { ManifestError } from './manifest-error.ts';
import type { ManifestFile } from './manifest-files.ts';
import { groupAndVersion, type ManifestKinds } from './manifest-kinds.ts';
import { isList, type ManifestObject, ObjectLines, objectName, objectsOf } from './manifest-objects.ts';
import { rewritten } from './text/rewritten-text.ts';

/** What the user asks for. */
export interface ConversionWish {
  /** The version to convert to, such as `apps/v1`; undefined: what the release does not serve goes to what takes its place. */
  readonly outputVersion: string | undefined;
  readonly release: string;
  /** Whether objects that the release serves also go to the version that it prefers. */
  readonly preferred: boolean;
  readonly withDefaults: boolean;
}

/** A document as it is to be written. */
export interface ConvertedDocument {
  readonly text: string;
  /** Undefined if the document is empty. */
  readonly value: JsonObject | undefined;
  readonly isJson: boolean;
  readonly isChanged: boolean;
}

/** A file with all its documents, those that did not change included. */
export interface ConvertedFile {
  readonly file: ManifestFile;
  readonly documents: readonly ConvertedDocument[];
}

/** Something about an object at which people should look, with its place. */
export interface PlacedNotice {
  readonly file: string;
  readonly line: number;
  readonly object: string;
  readonly text: string;
}

/** Converts files one after the other, and collects notices and errors. */
export class ManifestConverter {
  readonly notices: PlacedNotice[] = [];
  readonly errors: ManifestError[] = [];
  readonly #kinds: ManifestKinds;
  readonly #wish: ConversionWish;

  constructor(kinds: ManifestKinds, wish: ConversionWish) {
    this.#kinds = kinds;
    this.#wish = wish;
  }

  /** Converts the documents of a file. Problems are added to `errors`, and a document with one is not changed. */
  async convertFile(file: ManifestFile): Promise<ConvertedFile> {
    const documents: ConvertedDocument[] = [];
    try {
      for (const document of manifestDocuments(file)) documents.push(await this.#convertDocument(document, file.name));
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      this.errors.push(error);
    }
    return { file, documents };
  }

  async #convertDocument(document: ManifestDocument, file: string): Promise<ConvertedDocument> {
    const { text, value, isJson } = document;
    const same = { text, value, isJson, isChanged: false };
    if (value === undefined) return same;
    const work = new DocumentWork(document, file, this);
    const changed = await this.#convertObjects(value, work);
    if (changed === undefined) return same;
    const { text: printed, losesComments } = rewritten(document, changed);
    if (losesComments)
      work.notice(
        { path: [], value, apiVersion: undefined, kind: 'document' },
        'Its comments are gone: anchors and merges would have changed with it.',
      );
    return { text: printed, value: changed, isJson, isChanged: true };
  }

  /** @returns undefined if nothing changes */
  async #convertObjects(value: JsonObject, work: DocumentWork): Promise<JsonObject | undefined> {
    const objects = await work.attempt({ path: [], value, apiVersion: undefined, kind: undefined }, () =>
      objectsOf(value, (apiVersion, kind) => this.#kinds.itemKind(apiVersion, kind)),
    );
    let result: JsonObject | undefined;
    for (const object of objects ?? []) {
      const converted = await work.attempt(object, () => this.#convertObject(object, work));
      if (converted === undefined) continue;
      if (object.path.length === 0) return converted;
      result ??= copyValue(value);
      replaceAt(result, object.path, withNamesAsWritten(converted, object.value));
    }
    const names = isList(value) ? await this.#listNames(value) : undefined;
    return names === undefined ? result : Object.assign(result ?? copyValue(value), names);
  }

  /** A typed list gets the version of its objects. */
  async #listNames({ apiVersion, kind }: JsonObject): Promise<{ apiVersion: string; kind: string } | undefined> {
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
    const itemKind = await this.#kinds.itemKind(apiVersion, kind);
    const item = itemKind === undefined ? undefined : await this.#kinds.find(apiVersion, itemKind);
    if (item?.by === 'schemas') {
      const to = await this.#targetOf(item.kinds, item.known);
      return to === undefined ? undefined : { apiVersion: to.apiVersion, kind: to.data.list ?? kind };
    }
    const version = item && this.#definedTarget(item.defined, item.version);
    return version && item ? { apiVersion: `${item.defined.group}/${version.name}`, kind } : undefined;
  }

  /**
   * @returns undefined if the object stays as it is
   * @throws DecodeError for an object that is none of its kind
   * @throws Error that says why it cannot be converted
   */
  async #convertObject(object: ManifestObject, work: DocumentWork): Promise<JsonObject | undefined> {
    const { apiVersion, kind, value } = object;
    if (apiVersion === undefined || kind === undefined) {
      work.notice(object, 'It has no apiVersion and kind, and stays as it is.');
      return undefined;
    }
    const found = await this.#kinds.find(apiVersion, kind);
    if (found === undefined) return undefined;
    if (found.by === 'definition') return this.#convertDefined(object, found.defined, found.version, work);
    const { kinds, known } = found;
    const to = await this.#targetOf(kinds, known);
    if (to === undefined) {
      if (!isServed(known, this.#wish.release)) work.notice(object, nothingServed(kinds, known, this.#wish.release));
      return undefined;
    }
    const named = { ...value, apiVersion, kind };
    const { withDefaults, release } = this.#wish;
    const converted = await convertObject(kinds, named, { from: known, to, withDefaults });
    if (!isServed(to, release)) work.notice(object, `Release ${release} does not serve ${to.apiVersion} ${to.kind}.`);
    for (const text of converted.notices) work.notice(object, text);
    const unknown = await kinds.unknownMembers(to, converted.value, release);
    for (const path of unknown)
      work.notice(object, `${path}: Release ${release} has no such member in ${to.apiVersion}: a server drops it.`);
    return converted.value;
  }

  /** @returns undefined if an object of the kind stays as it is */
  async #targetOf(kinds: KnownKinds, known: KnownKind): Promise<KnownKind | undefined> {
    const { outputVersion, release, preferred } = this.#wish;
    if (outputVersion !== undefined) {
      const asked = await kinds.find(outputVersion, known.kind);
      if (asked !== undefined && kinds.isConvertible(known, asked)) return asked.apiVersion === known.apiVersion ? undefined : asked;
    }
    if (isServed(known, release) && !preferred) return undefined;
    const served = await kinds.servedForm(known, release);
    return served?.apiVersion === known.apiVersion ? undefined : served;
  }

  #definedTarget(defined: DefinedKind, version: DefinedVersion | undefined): DefinedVersion | undefined {
    const { outputVersion = '', preferred } = this.#wish;
    const [group, name] = groupAndVersion(outputVersion);
    const asked = group === defined.group ? defined.versions.find((each) => each.name === name) : undefined;
    const to = asked ?? (version?.served === true && !preferred ? version : servedVersion(defined));
    return to === version ? undefined : to;
  }

  #convertDefined(
    object: ManifestObject,
    defined: DefinedKind,
    version: DefinedVersion | undefined,
    work: DocumentWork,
  ): JsonObject | undefined {
    if (version === undefined) {
      const names = defined.versions.map(({ name }) => name).join(', ');
      throw new Error(`${defined.name} has no version ${groupAndVersion(object.apiVersion ?? '')[1]}, only ${names}.`);
    }
    const to = this.#definedTarget(defined, version);
    if (to === undefined) {
      if (!version.served) work.notice(object, `${defined.name} serves no version, and it stays as it is.`);
      return undefined;
    }
    if (defined.isConvertedByWebhook)
      throw new Error(
        `${defined.name} is converted by a webhook, which only a server asks: create the object there in ${version.name} and get it in ${to.name}.`,
      );
    for (const text of definedNotices(defined, to, object.value)) work.notice(object, text);
    return { ...object.value, apiVersion: `${defined.group}/${to.name}` };
  }
}

/** Adds problems and notices about the objects of a document, with their places. */
class DocumentWork {
  readonly #file: string;
  readonly #lines: ObjectLines;
  readonly #out: Pick<ManifestConverter, 'notices' | 'errors'>;

  constructor(document: ManifestDocument, file: string, out: Pick<ManifestConverter, 'notices' | 'errors'>) {
    this.#file = file;
    this.#lines = new ObjectLines(document);
    this.#out = out;
  }

  notice(object: ManifestObject, text: string): void {
    this.#out.notices.push({ file: this.#file, line: this.#lines.of(object), object: objectName(object), text });
  }

  /** @returns undefined if the conversion fails, which is reported */
  async attempt<T>(object: ManifestObject, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#out.errors.push(new ManifestError(this.#file, this.#lines.of(object), `${objectName(object)}: ${problemOf(error, object)}`));
      return undefined;
    }
  }
}

/**
 * @returns what is wrong, for the user
 * @throws the error itself if it is a mistake of this program
 */
function problemOf(error: unknown, { apiVersion }: ManifestObject): string {
  if (error instanceof DecodeError) return `it is no object of ${apiVersion}: ${error.message}`;
  if (error instanceof Error && (error.constructor === Error || error instanceof RangeError)) return error.message;
  throw error;
}

function nothingServed(kinds: KnownKinds, { folder, kind, apiVersion }: KnownKind, release: string): string {
  const stated = kinds.notices[`${folder} ${kind}`]?.find(({ path }) => path === '');
  const advice = stated === undefined ? '' : ` ${kinds.identity.text(stated.text)}`;
  return `Release ${release} serves ${kind} in no version: the object of ${apiVersion} stays as it is.${advice}`;
}

/** Objects of typed lists need not state their kind; those that did not still do not. */
function withNamesAsWritten(converted: JsonObject, written: JsonObject): JsonObject {
  const { apiVersion, kind, ...members } = converted;
  return {
    ...('apiVersion' in written && { apiVersion }),
    ...('kind' in written && { kind }),
    ...members,
  };
}

function replaceAt(value: JsonObject, path: ManifestObject['path'], member: unknown): void {
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value);
  const last = path.at(-1) as string | number;
  if (Array.isArray(holder)) holder[Number(last)] = member;
  else if (isObject(holder)) setMember(holder, String(last), member);
}
