/**
 * Objects from files: configurations of the server, of the node agent and of clients, credentials, policies. Their kinds are decoded,
 * defaulted, converted and validated as those of the API, by what the same schemas state; nothing of them is served.
 */
import type { FieldError } from '../contract/field-error.ts';
import type { Identity } from '../contract/identity.ts';
import type { FileGroupVersionData, GroupVersionModule, RuleContext } from '../contract/kind.ts';
import { compareReleases } from '../contract/lifespan.ts';
import type { ApiObject } from '../contract/object.ts';
import { OWN_WORK } from '../contract/request-context.ts';
import type { RuleModules } from '../contract/rule-modules.ts';
import type { Kind } from '../registry/kind.ts';
import { gvKey, KindLoader } from '../registry/kind-loader.ts';
import { DecodeError, strictErrors } from '../schema/codec/codec.ts';
import { applyMergePatch } from '../schema/patch/merge-patch.ts';
import { objectErrors } from '../validation/kind-errors.ts';
import { dropInFiles } from './drop-in-files.ts';
import { type FileDocument, parseDocument } from './file-document.ts';
import { FileError } from './file-error.ts';
import { readFileText } from './file-text.ts';
import { type FileKindName, type FileVersion, fileVersions, versionOf } from './file-versions.ts';

export interface FileKindsParts {
  readonly groupVersions: readonly FileGroupVersionData[];
  readonly identity: Identity;
  readonly rules: RuleModules;
  /** the one whose behaviour the program has, such as 1.32 */
  readonly release: string;
  readonly featureEnabled: (gate: string) => boolean;
}

export interface FileObject {
  /** in the newest version of its kind, with its defaults, valid */
  readonly object: ApiObject;
  /** what the file says of its version; that of the schema where it says nothing */
  readonly apiVersion: string;
  /** sentences for the log */
  readonly warnings: readonly string[];
}

/** A document as an object of the version that it states, not yet validated. */
interface Decoded {
  readonly kind: Kind;
  readonly version: FileVersion;
  readonly object: ApiObject;
  readonly warnings: readonly string[];
  /** what makes the file be refused */
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
      explainsCosts: identity.explainsCosts,
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
   * @throws FileError that tells all that is wrong
   */
  async parse(text: string, source: string, wanted: FileKindName): Promise<FileObject> {
    return this.#finish(await this.#decode(parseDocument(text, source), this.#versionsOf(wanted)), source);
  }

  /**
   * A file with what the files of a folder change in it, in the order of their names (specification: Node agent configuration merging): scalars are
   * overridden, lists replaced, members of maps overridden each for itself.
   * @param file without it the defaults
   * @param folder `.conf` files in it count; without it nothing is changed
   * @throws FileError that tells all that is wrong
   */
  async readMerged(file: string | undefined, folder: string | undefined, wanted: FileKindName): Promise<FileObject> {
    const versions = this.#versionsOf(wanted);
    const dropIns = folder === undefined ? [] : await dropInFiles(folder);
    const documents = await Promise.all(
      [...(file === undefined ? [] : [file]), ...dropIns].map(async (each) => parseDocument(await readFileText(each), each)),
    );
    const base = file === undefined ? emptyDocument(versions[0] as FileVersion) : documents.shift();
    const merged = await this.#decode(base as FileDocument, versions);
    const overlays = await Promise.all(documents.map((document) => this.#decode(document, [merged.version])));
    const { object } = merged.kind.decode(
      documents.reduce<unknown>((value, document) => applyMergePatch(value, document.value), merged.object),
    );
    const warnings = [...merged.warnings, ...overlays.flatMap((overlay) => overlay.warnings)];
    const problems = [...merged.problems, ...overlays.flatMap((overlay) => overlay.problems)];
    const source = [file, folder].filter((each) => each !== undefined).join(' with ');
    return this.#finish({ ...merged, object, warnings, problems }, source);
  }

  #versionsOf({ group, kind }: FileKindName): readonly FileVersion[] {
    const hubGroup = this.#parts.identity.text(group);
    const versions = this.#versions.filter((each) => each.hubGroup === hubGroup && each.data.name === kind);
    if (versions.length === 0) throw new Error(`no schema has the kind ${kind} of files of group "${hubGroup}"`);
    return versions;
  }

  async #decode(document: FileDocument, versions: readonly FileVersion[]): Promise<Decoded> {
    const { source, value, parsed } = document;
    const version = versionOf(document, versions);
    const kind = await this.#loader.kind(version.group, version.version, version.data.name);
    try {
      const { object, unknownFields } = kind.decode(value);
      const strict = [...parsed.problems, ...strictErrors(parsed, kind.compiled, unknownFields)];
      const { unknownFields: treatment } = version.data;
      const warnings = kind.deprecation === undefined ? [] : [`${source}: ${kind.deprecation}`];
      if (treatment === 'warn') warnings.push(...strict.map((problem) => `${source}: ${problem}`));
      return { kind, version, object, warnings, problems: treatment === undefined ? strict : [] };
    } catch (error) {
      if (error instanceof DecodeError) throw new FileError(source, [error.message]);
      throw error;
    }
  }

  /** @throws FileError */
  #finish({ kind, version, object, warnings, problems }: Decoded, source: string): FileObject {
    const newest = kind.toHub(object);
    const errors = this.#errorsOf(kind.hub, newest).map(({ field, message }) => `${field}: ${message}`);
    if (problems.length + errors.length > 0) throw new FileError(source, [...problems, ...errors]);
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

function emptyDocument({ kind, apiVersion }: FileVersion): FileDocument {
  return { source: 'the defaults', value: { kind, apiVersion }, parsed: { value: {}, duplicates: [], problems: [], documents: 1 } };
}

const refuse = (): never => {
  throw new Error('files have no addresses and ports');
};
const NO_ALLOCATOR: RuleContext['allocator'] = {
  addressRange: '',
  portRange: '',
  take: refuse,
  release: refuse,
  keysOf: refuse,
};
