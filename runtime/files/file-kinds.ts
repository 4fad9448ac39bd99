/**
 * Objects from files: configurations of the server, of the node agent and of clients, credentials, policies. Their kinds are decoded,
 * defaulted, converted and validated as those of the API, by what the same schemas state; nothing of them is served.
 */

import type { FieldError } from '../contract/field-error.ts';
import type { FileGroupVersionData } from '../contract/file-kind.ts';
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionModule } from '../contract/kind.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import { compareReleases } from '../contract/lifespan.ts';
import { noAllocator } from '../contract/no-allocator.ts';
import type { ApiObject } from '../contract/object.ts';
import { OWN_WORK } from '../contract/request-context.ts';
import type { RuleModules } from '../contract/rule-modules.ts';
import type { Kind } from '../registry/kinds/kind.ts';
import { gvKey, KindLoader } from '../registry/kinds/kind-loader.ts';
import { DecodeError, strictErrors } from '../schema/codec/codec.ts';
import { getMember, isObject, setMember } from '../schema/json/member.ts';
import { applyMergePatch } from '../schema/patch/merge-patch.ts';
import { joined, NONE } from '../validation/joined.ts';
import { objectErrors } from '../validation/kind-errors.ts';
import { dropInFiles } from './drop-in-files.ts';
import { type FileDocument, parseDocument } from './file-document.ts';
import { FileError } from './file-error.ts';
import { readFileText } from './file-text.ts';
import { type FileKindName, type FileVersion, fileVersions, versionOf } from './file-versions.ts';
import { type MemberPath, ValueOrigins } from './value-origins.ts';

export interface FileKindsParts {
  readonly groupVersions: readonly FileGroupVersionData[];
  readonly identity: Identity;
  readonly rules: RuleModules;
  /** the one whose behaviour the program has, such as 1.32 */
  readonly release: string;
  readonly featureEnabled: (gate: string) => boolean;
}

export interface FileObject {
  /** the valid object in the newest version of its kind, with its defaults */
  readonly object: ApiObject;
  /** the version in the file; the version of the schema if the file has none */
  readonly apiVersion: string;
  /** sentences for the log */
  readonly warnings: readonly string[];
}

/** The places of the parts that make up an object. */
export interface MergedPlaces {
  /** path of the first file; absent if the other parts change the defaults */
  readonly file?: string | undefined;
  /** path of a folder whose files, if their names end in `.conf`, change the object; absent if there is none */
  readonly folder?: string | undefined;
  /** values that take precedence over all files; of several for the same member, the last counts */
  readonly overrides?: readonly Override[];
}

/** A value that replaces what files have. */
export interface Override {
  readonly path: MemberPath;
  readonly value: unknown;
  /** the name of its origin in errors, such as a flag */
  readonly source: string;
}

export interface MergedObject extends FileObject {
  readonly origins: ValueOrigins;
  /** the files of the folder that are ignored because of their names */
  readonly skipped: readonly string[];
}

type ErrorText = (errors: readonly FieldError[], problems: readonly string[]) => readonly [source: string, problems: readonly string[]];

/** A document as an object of the version that it has, not yet validated. */
interface Decoded {
  readonly source: string;
  readonly kind: Kind;
  readonly version: FileVersion;
  readonly object: ApiObject;
  readonly warnings: readonly string[];
  /** the reasons why the file is refused */
  readonly problems: readonly string[];
}

export class FileKinds {
  readonly #parts: FileKindsParts;
  readonly #versions: readonly FileVersion[];
  readonly #loader: KindLoader;
  readonly #context: RuleContext;

  constructor(parts: FileKindsParts) {
    const { identity, featureEnabled } = parts;
    this.#parts = parts;
    this.#versions = fileVersions(parts.groupVersions, identity);
    this.#loader = new KindLoader({ ...parts, module: (group, version, kind) => this.#module(group, version, kind) });
    this.#context = {
      text: identity.text,
      now: Date.now,
      dryRun: false,
      request: OWN_WORK,
      allocator: NO_ALLOCATOR,
      allowsPrivileged: true,
      explainsCosts: false,
      featureEnabled,
      metadataProblem: () => undefined,
    };
  }

  /**
   * Reads a file of YAML or JSON.
   * @throws FileError that tells all that is wrong
   */
  async read(file: string, wanted: FileKindName): Promise<FileObject> {
    return this.parse(await readFileText(file), file, wanted);
  }

  /**
   * As `read`, of a text that is there already.
   * @param source what errors call the text, such as a path with the number of a line
   * @param also what else is wrong with the object where this program reads it
   * @throws FileError that tells all that is wrong
   */
  async parse(
    text: string,
    source: string,
    wanted: FileKindName,
    also: (object: ApiObject) => readonly FieldError[] = () => NONE,
  ): Promise<FileObject> {
    const decoded = await this.#decode(parseDocument(text, source), this.#versionsOf(wanted), wanted.mayMiss);
    const told: ErrorText = (errors, problems) => [source, [...problems, ...errors.map(({ field, message }) => `${field}: ${message}`)]];
    return this.#finish(decoded, told, also);
  }

  /**
   * A file with what the files of a folder change in it, in the order of their names, and what is said elsewhere (specification: Node agent
   * configuration merging): scalars are overridden, lists replaced, members of maps overridden each for itself.
   * @throws FileError that tells all that is wrong, with the file and the field
   */
  async readMerged({ file, folder, overrides = [] }: MergedPlaces, wanted: FileKindName): Promise<MergedObject> {
    const versions = this.#versionsOf(wanted);
    const { files, skipped } = folder === undefined ? NO_FILES : await dropInFiles(folder);
    const read = await allOf([...(file === undefined ? [] : [file]), ...files].map((each) => readDocument(each, versions)));
    const base = (file === undefined ? undefined : read.shift()) ?? emptyDocument(versions[0] as FileVersion);
    const merged = await this.#decode(base, versions);
    const overlays = await allOf(read.map((document) => this.#decode(document, [merged.version])));
    const origins = new ValueOrigins();
    if (file !== undefined) origins.merge(base.value, file);
    let value: unknown = merged.object;
    for (const { value: patch, source } of read) {
      value = applyMergePatch(value, patch);
      origins.merge(patch, source);
    }
    for (const override of overrides) {
      value = withValue(value, override.path, override.value);
      origins.replace(override.path, override.source);
    }
    const all = [merged, ...overlays];
    const finished = this.#finish({ ...merged, problems: [], object: decodeMerged(merged.kind, value) }, (errors) =>
      mergedError(
        [
          ...all.flatMap(({ problems, source }) => problems.map((text) => ({ source, text }))),
          ...errors.map((error) => originOf(error, origins)),
        ],
        [file, folder].filter((each) => each !== undefined).join(' with '),
      ),
    );
    return { ...finished, warnings: all.flatMap(({ warnings }) => warnings), origins, skipped };
  }

  #versionsOf({ group, kind }: FileKindName): readonly FileVersion[] {
    const hubGroup = this.#parts.identity.text(group);
    const versions = this.#versions.filter((each) => each.hubGroup === hubGroup && each.data.name === kind);
    if (versions.length === 0) throw new Error(`no schema has the kind ${kind} of files of group "${hubGroup}"`);
    return versions;
  }

  async #decode(document: FileDocument, versions: readonly FileVersion[], mayMiss?: FileKindName['mayMiss']): Promise<Decoded> {
    const { source, value, parsed } = document;
    const version = versionOf(document, versions, mayMiss);
    const kind = await this.#loader.kind(version.group, version.version, version.data.name);
    try {
      const { object, unknownFields } = kind.decode(value);
      const strict = [...parsed.problems, ...strictErrors(parsed, kind.compiled, unknownFields)];
      const { unknownFields: treatment } = version.data;
      const warnings = kind.deprecation === undefined ? [] : [`${source}: ${kind.deprecation}`];
      if (treatment === 'warn') warnings.push(...strict.map((problem) => `${source}: ${problem}`));
      return { source, kind, version, object, warnings, problems: treatment === undefined ? strict : [] };
    } catch (error) {
      if (error instanceof DecodeError) throw new FileError(source, [error.message]);
      throw error;
    }
  }

  /** @param told what a FileError is made of. @throws FileError */
  #finish(
    { kind, version, object, warnings, problems }: Decoded,
    told: ErrorText,
    also: (object: ApiObject) => readonly FieldError[] = () => NONE,
  ): FileObject {
    const newest = kind.toHub(object);
    const [source, texts] = told(joined(this.#errorsOf(kind.hub, newest), also(newest)), problems);
    if (texts.length > 0) throw new FileError(source, texts);
    return { object: { ...newest, kind: version.kind }, apiVersion: version.apiVersion, warnings };
  }

  #errorsOf(kind: Kind, object: ApiObject): readonly FieldError[] {
    return objectErrors(kind, object, undefined, this.#context);
  }

  async #module(group: string, version: string, kind: string): Promise<GroupVersionModule> {
    const { groupVersions, identity, release } = this.#parts;
    const found = groupVersions.find(
      (each) => identity.text(each.group) === group && each.version === version && each.kinds.some(({ name }) => name === kind),
    );
    if (found === undefined) throw new Error(`no schema has the kind ${kind} of files of ${gvKey(group, version)}`);
    const module = await found.load();
    const removed = module.kinds[kind]?.lifecycle.removed;
    if (removed !== undefined && compareReleases(removed, release) <= 0)
      throw new FileError(gvKey(group, version), [`its kind ${kind} was removed in ${removed}`]);
    return module;
  }
}

const NO_FILES = { files: [], skipped: [] };

/** @throws FileError, for a document of another kind too */
async function readDocument(file: string, versions: readonly FileVersion[]): Promise<FileDocument> {
  const document = parseDocument(await readFileText(file), file);
  versionOf(document, versions);
  return document;
}

/** Waits for all, and tells all that is wrong. @throws FileError */
async function allOf<T>(reading: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(reading);
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const [first] = failures;
  if (failures.length > 1 && failures.every((each) => each instanceof FileError))
    throw new FileError(
      `${failures.length} files`,
      failures.flatMap(({ source, problems }) => problems.map((problem) => `${source}: ${problem}`)),
    );
  if (first !== undefined) throw first;
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

interface Fault {
  readonly source: string;
  readonly text: string;
}

/** Finds the origin of a wrong value. The origin is empty if the value is missing, or if several files have contributed to it. */
function originOf({ field, message }: FieldError, origins: ValueOrigins): Fault {
  const path = field.replace(/^\./, '').split(/[.[]/);
  return { source: origins.of(path) ?? '', text: `${field}: ${message}` };
}

/** @param whole what all files together are called */
function mergedError(faults: readonly Fault[], whole: string): readonly [string, readonly string[]] {
  const named = faults.map(({ source, text }) => ({ source: source || whole, text }));
  const sources = new Set(named.map(({ source }) => source));
  const [only] = sources;
  if (sources.size === 1) return [only as string, named.map(({ text }) => text)];
  return [whole, named.map(({ source, text }) => (source === whole ? text : `${source}: ${text}`))];
}

/** The value with another one in it; what is around it is made where it is missing. */
function withValue(value: unknown, [name, ...rest]: MemberPath, inner: unknown): unknown {
  if (name === undefined) return inner;
  const object = isObject(value) ? value : {};
  const result = { ...object };
  setMember(result, name, withValue(getMember(object, name), rest, inner));
  return result;
}

/** @throws FileError for a value of a wrong type that no file has */
function decodeMerged(kind: Kind, value: unknown): ApiObject {
  try {
    return kind.decode(value).object;
  } catch (error) {
    if (error instanceof DecodeError) throw new FileError('the flags', [error.message]);
    throw error;
  }
}

function emptyDocument({ kind, apiVersion }: FileVersion): FileDocument {
  return { source: 'the defaults', value: { kind, apiVersion }, parsed: { value: {}, duplicates: [], problems: [], documents: 1 } };
}

const NO_ALLOCATOR = noAllocator('files have no addresses and ports');
