/**
 * Objects from files: configurations of the server, of the node agent and of clients, credentials, policies. Their kinds are decoded,
 * defaulted, converted and validated as those of the API, by what the same schemas state; nothing of them is served.
 */
import type { FieldError } from '../contract/field-error.ts';
import type { Identity } from '../contract/identity.ts';
import type { FileGroupVersionData, FileKindData, RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { compareReleases } from '../registry/feature-gates.ts';
import type { Kind } from '../registry/kind.ts';
import { gvKey, KindLoader, type RuleSet } from '../registry/kind-loader.ts';
import { DecodeError, strictErrors } from '../schema/codec.ts';
import { JsonSyntaxError } from '../schema/json-text.ts';
import { isObject, type JsonObject } from '../schema/member.ts';
import { type ParsedYaml, parseYaml, YamlSyntaxError } from '../schema/parse-yaml.ts';
import { schemaErrors } from '../schema/validation.ts';
import { FileError } from './file-error.ts';
import { readFileText } from './file-text.ts';

export interface FileKindsParts {
  readonly groupVersions: readonly FileGroupVersionData[];
  readonly identity: Identity;
  readonly rules: RuleSet;
  /** the one whose behaviour the program has, such as 1.32 */
  readonly release: string;
  readonly featureEnabled: (gate: string) => boolean;
}

/** What a file is expected to hold. */
export interface FileKindName {
  /** may hold placeholders */
  readonly group: string;
  /** as the schemas name it */
  readonly kind: string;
}

export interface FileObject {
  /** in the newest version of its kind, with its defaults, valid */
  readonly object: ApiObject;
  /** what the file says of its version; that of the schema where it says nothing */
  readonly apiVersion: string;
  /** sentences for the log */
  readonly warnings: readonly string[];
}

interface Version {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly priority: number;
  readonly data: FileKindData;
  /** as files spell it */
  readonly kind: string;
}

export class FileKinds {
  readonly #parts: FileKindsParts;
  readonly #versions: readonly Version[];
  readonly #loader: KindLoader;
  readonly #context: RuleContext;

  constructor(parts: FileKindsParts) {
    this.#parts = parts;
    const { identity, featureEnabled } = parts;
    this.#versions = parts.groupVersions.flatMap(({ version, versionPriority, kinds, group }) =>
      kinds.map((data) => ({
        group: identity.text(group),
        version,
        apiVersion: gvKey(identity.text(group), version),
        priority: versionPriority,
        data,
        kind: identity.text(data.kind ?? data.name),
      })),
    );
    this.#loader = new KindLoader({ ...parts, module: (group, version, kind) => this.#module(group, version, kind) });
    this.#context = { text: identity.text, now: Date.now, dryRun: false, requestVersion: '', allocator: NO_ALLOCATOR, featureEnabled };
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
    const parsed = parseText(text, source);
    const value = requireObject(parsed.value, source);
    const version = this.#versionOf(value, wanted, source);
    const kind = await this.#loader.kind(version.group, version.version, version.data.name);
    const warnings = kind.deprecation === undefined ? [] : [kind.deprecation];
    const problems: string[] = [];
    const { object, strict } = decodeStrictly(kind, parsed, value, source);
    if (version.data.unknownFields === undefined) problems.push(...strict);
    else if (version.data.unknownFields === 'warn') warnings.push(...strict.map((problem) => `${source}: ${problem}`));
    const newest = kind.toHub(object);
    problems.push(...this.#errorsOf(kind.hub, newest).map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)));
    if (problems.length > 0) throw new FileError(source, problems);
    return { object: { ...newest, kind: version.kind }, apiVersion: version.apiVersion, warnings };
  }

  /** The version that a text states, or that texts without one are of. @throws FileError */
  #versionOf({ kind = '', apiVersion = '' }: JsonObject, wanted: FileKindName, source: string): Version {
    const group = this.#parts.identity.text(wanted.group);
    const versions = this.#versions
      .filter((each) => each.group === group && each.data.name === wanted.kind)
      .sort((a, b) => b.priority - a.priority);
    if (versions.length === 0) throw new Error(`no schema has the kind ${wanted.kind} of files of group "${group}"`);
    const unnamed = kind === '' && apiVersion === '' ? versions.find(({ data }) => data.unnamed) : undefined;
    if (unnamed !== undefined) return unnamed;
    const found = versions.find((each) => each.kind === kind && each.apiVersion === apiVersion);
    if (found !== undefined) return found;
    const names = `kind ${versions[0]?.kind} with apiVersion ${versions.map((each) => each.apiVersion).join(' or ')}`;
    const problems = [];
    if (apiVersion === '') problems.push('apiVersion: Required value');
    if (kind === '') problems.push('kind: Required value');
    const stated = problems.length > 0 ? problems.join(', ') : `it has kind ${shown(kind)} with apiVersion ${shown(apiVersion)}`;
    throw new FileError(source, [`${stated}; expected is ${names}`]);
  }

  #errorsOf(kind: Kind, object: ApiObject): FieldError[] {
    const constraints = kind.data.validate === undefined ? [] : schemaErrors(kind.data.validate, object, kind.compiled);
    return [...constraints, ...(kind.rules.validate?.(object, this.#context) ?? [])];
  }

  #module(group: string, version: string, kind: string) {
    const { groupVersions, identity, release } = this.#parts;
    const found = groupVersions.find(
      (each) => identity.text(each.group) === group && each.version === version && each.kinds.some(({ name }) => name === kind),
    );
    if (found === undefined) throw new Error(`no schema has the kind ${kind} of files of ${gvKey(group, version)}`);
    return found.load().then((module) => {
      const removed = module.kinds[kind]?.lifecycle.removed;
      if (removed !== undefined && compareReleases(removed, release) <= 0)
        throw new Error(`${kind} of ${gvKey(group, version)} was removed in ${removed}`);
      return module;
    });
  }
}

const refuse = (): never => {
  throw new Error('files have no addresses and ports');
};
const NO_ALLOCATOR: RuleContext['allocator'] = {
  allocateAddress: refuse,
  claimAddress: refuse,
  allocatePort: refuse,
  claimPort: refuse,
  release: refuse,
};

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : `of a wrong type`;
}

/** JSON is YAML, apart from texts such as long keys, which the parser of JSON reads. */
function parseText(text: string, source: string): ParsedYaml {
  try {
    const parsed = parseYaml(text);
    if (parsed.documents > 1) throw new FileError(source, [`it holds ${parsed.documents} documents, expected is one`]);
    return parsed;
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) throw new FileError(source, [error.message]);
    throw error;
  }
}

function requireObject(value: unknown, source: string): JsonObject {
  if (value === null) throw new FileError(source, ['it holds nothing']);
  if (!isObject(value)) throw new FileError(source, ['it holds no object']);
  return value;
}

function decodeStrictly(kind: Kind, parsed: ParsedYaml, value: JsonObject, source: string): { object: ApiObject; strict: string[] } {
  try {
    const { object, unknownFields } = kind.decode(value);
    return { object, strict: [...parsed.problems, ...strictErrors(parsed, kind.compiled, unknownFields)] };
  } catch (error) {
    if (error instanceof DecodeError) throw new FileError(source, [error.message]);
    throw error;
  }
}
