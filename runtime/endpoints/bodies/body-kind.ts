/** Compares the kind in a body with the kind of the path. */

import { invalid } from '../../contract/field-error.ts';
import { goQuote } from '../../contract/go-quote.ts';
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goType, type Kind } from '../../registry/kinds/kind.ts';
import { DecodeError, strictErrors, unknownFieldsOf } from '../../schema/codec/codec.ts';
import type { JsonObject } from '../../schema/json/member.ts';
import { jsonKind } from '../../schema/scalar/scalar-error.ts';
import { newBadRequest, newInvalid, StatusError } from '../../status/status.ts';
import { MissingKindError, newUnreadableNames, UnrecognizedBodyError } from './unrecognized-body.ts';

/** Kinds of all versions, served or not. */
export interface KnownKinds {
  /** @returns undefined for a kind that no schema has */
  findKind(group: string, version: string, kind: string): Promise<Kind | undefined>;
}

/** The names that 1.32 gives its own kinds, and those of options, in messages. */
const SCHEME = 'pkg/api/legacyscheme/scheme.go:30';
const SCHEME_OF_OPTIONS = 'pkg/apis/meta/internalversion/scheme/register.go:27';

function notRegistered(kind: string, apiVersion: string, scheme: string): StatusError {
  return newBadRequest(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`);
}

/** A body of another kind or version than the path's. Its message is the short one; `explain` finds the one that 1.32 gives. */
export class WrongKindError extends StatusError {
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #wanted: Kind;
  readonly #sent: Partial<ApiObject>;
  readonly #duplicates: readonly string[];

  /** @param duplicates paths of members that stood twice */
  constructor(apiVersion: string, kind: string, wanted: Kind, sent: Partial<ApiObject>, duplicates: readonly string[] = []) {
    super(notRegistered(kind, apiVersion, SCHEME).status);
    this.#apiVersion = apiVersion;
    this.#kind = kind;
    this.#wanted = wanted;
    this.#sent = sent;
    this.#duplicates = duplicates;
  }

  /**
   * A version of the same kind is known but not what the path takes; another kind, and an unknown one, cannot become the path's.
   * @param strictly takes what strict validation says of the body all the same, and says whether that is why it is refused
   */
  async explain(kinds: KnownKinds, strictly: (problems: readonly string[]) => boolean): Promise<StatusError> {
    const wanted = this.#wanted;
    const { group, version } = this.#version;
    if (!wanted.compiled.isGo) {
      const wrong = metadataFault(this.#sent, wanted);
      if (wrong !== undefined) return this.#notHandled(wrong);
      const isSame = group === wanted.group && this.#kind === wanted.kind;
      const own = isSame ? await kinds.findKind(group, version, this.#kind) : undefined;
      const problems = strictErrors({ duplicates: this.#duplicates }, wanted.compiled, unknownMembers(this.#sent, wanted, isSame, own));
      if (strictly(problems)) return this.#notHandled(`strict decoding error: ${problems.join(', ')}`);
      return this.#explainDefined(wanted);
    }
    const found = await this.convertible(kinds);
    if (typeof found === 'object')
      return newBadRequest(
        `the API version in the data (${this.#apiVersion}) does not match the expected API version (${wanted.apiVersion})`,
      );
    return this.#notHandled(found);
  }

  #notHandled(why: string): StatusError {
    return newBadRequest(`${this.#kind} in version ${goQuote(this.#version.version)} cannot be handled as a ${this.#wanted.kind}: ${why}`);
  }

  /**
   * The kind that the body names, where it is another version of the path's; else why its objects cannot become the path's, in the words of 1.32, where
   * the paths of its own kinds know no definitions.
   */
  async convertible(kinds: KnownKinds): Promise<Kind | string> {
    const { group, version } = this.#version;
    const sent = await kinds.findKind(group, version, this.#kind);
    if (sent === undefined || !sent.compiled.isGo) return this.message;
    return sent.hub === this.#wanted.hub ? sent : `converting (${version}.${this.#kind}) to (${goType(this.#wanted)}): unknown conversion`;
  }

  get #version(): { readonly group: string; readonly version: string } {
    const [version = '', ...groups] = this.#apiVersion.split('/').reverse();
    return { group: groups.join('/'), version };
  }

  /** What is said of an object that a patch has made so; absent where the patch itself is at fault, for its object cannot be read. */
  ofPatch(): StatusError | undefined {
    const { compiled, kind, apiVersion } = this.#wanted;
    if (compiled.isGo || this.#apiVersion === '') return undefined;
    const slash = this.#apiVersion.indexOf('/');
    const group = slash < 0 ? '' : this.#apiVersion.slice(0, slash);
    return newInvalid({ group, kind: this.#kind }, nameOf(this.#sent), [
      ...(this.#kind === kind ? [] : [invalid('kind', this.#kind, `must be ${kind}`)]),
      ...(this.#apiVersion === apiVersion ? [] : [invalid('apiVersion', this.#apiVersion, `must be ${apiVersion}`)]),
    ]);
  }

  /** Objects of definitions have one type for all kinds: the version is looked at first, and the kind with all else that the object says. */
  #explainDefined({ apiVersion, kind, group }: Kind): StatusError {
    if (this.#apiVersion !== apiVersion)
      return newBadRequest(`the API version in the data (${this.#apiVersion}) does not match the expected API version (${apiVersion})`);
    return newInvalid({ group, kind: this.#kind }, nameOf(this.#sent), [invalid('kind', this.#kind, `must be ${kind}`)]);
  }
}

/** The name that the object gives itself; '' where that is none. */
function nameOf({ metadata }: Partial<ApiObject>): string {
  const { name } = (metadata ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : '';
}

/** What is wrong with the metadata, which 1.32 reads before it looks of which version the object of a definition is. */
function metadataFault({ metadata }: Partial<ApiObject>, wanted: Kind): string | undefined {
  try {
    wanted.decode({ metadata });
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/**
 * The unknown members of an object of a definition that is of another version or kind than the path's. Of a version that the definition does not have,
 * nothing but what all objects have is known, as in 1.32; of another kind that alone is looked at.
 * @param own the kind in that version
 */
function unknownMembers(object: Partial<ApiObject>, { compiled }: Kind, isSame: boolean, own: Kind | undefined): string[] {
  if (own !== undefined) return unknownFieldsOf(own.compiled, object, 'byName');
  const { kind, apiVersion, metadata, ...others } = object as JsonObject;
  return [...unknownFieldsOf(compiled, { kind, apiVersion, metadata }, 'byName'), ...(isSame ? Object.keys(others).sort() : [])];
}

/** How a body was written, as far as that matters for what it says that it is. */
export interface Written {
  /** the members of the body in the order in which 1.32 reads them, with all occurrences of one; default: those of its value */
  readonly members?: Members | undefined;
  /** paths of members that stand twice; default: none */
  readonly duplicates?: readonly string[];
  /** returns what the body was read from; its value is shown where that is no text */
  text?(): string | undefined;
}

/**
 * An absent or empty name is the path's, but not where definitions have brought the kind.
 * @throws WrongKindError; UnrecognizedBodyError for names that are none
 */
export function requireKind(body: Partial<ApiObject>, kind: Kind, written: Written = {}): void {
  const read = namesOf(written.members ?? Object.entries(body));
  const { name, apiVersion } = kind.compiled.isGo ? withDefaults(read, kind) : statedNames(body, kind, written);
  if (name !== kind.kind || apiVersion !== kind.apiVersion) throw new WrongKindError(apiVersion, name, kind, body, written.duplicates);
}

function withDefaults({ name, apiVersion }: Names, kind: Kind): Names {
  return { name: name || kind.kind, apiVersion: versionWithDefaults(apiVersion, kind) };
}

/** Objects of definitions say themselves what they are, in members of the usual case. @throws MissingKindError */
function statedNames(body: Partial<ApiObject>, kind: Kind, { text }: Written): Names {
  const [name, apiVersion] = [body.kind ?? '', body.apiVersion ?? ''];
  if (name === '') throw new MissingKindError(text?.() ?? writeJson(body), versionWithDefaults(apiVersion, kind));
  return { name, apiVersion };
}

/** Completes an `apiVersion`. As in 1.32, the group before the slash may be empty, like that of the core group; without a version, it is that of the path. */
function versionWithDefaults(sent: string, { group, apiVersion }: Kind): string {
  const text = sent.startsWith('/') ? sent.slice(1) : sent;
  return text === '' || text === `${group}/` ? apiVersion : text;
}

/**
 * Options are of a kind that stands in every group version: only its name is held against the wanted one.
 * @throws StatusError BadRequest for another kind, and for names that are none
 */
export function requireOptions(body: { readonly kind?: unknown; readonly apiVersion?: unknown }, kind: Kind): void {
  const { name, apiVersion } = namesOf(Object.entries(body));
  if (name !== '' && name !== kind.kind) throw notRegistered(name, versionWithDefaults(apiVersion, kind), SCHEME_OF_OPTIONS);
}

export type Members = readonly (readonly [name: string, value: unknown])[];

interface Names {
  name: string;
  /** a version, or a group and a version */
  apiVersion: string;
}

const KIND = /^kind$/iu;
const API_VERSION = /^apiversion$/iu;

/** Before 1.32 reads a body as its type, where case counts, it looks for what the body says that it is in members of any case, such as `Kind`. */
function nameIn(member: string): 'kind' | 'apiVersion' | undefined {
  // nearly all bodies have the usual case
  if (member === 'kind' || member === 'apiVersion') return member;
  if (KIND.test(member)) return 'kind';
  return API_VERSION.test(member) ? 'apiVersion' : undefined;
}

/** Of several names the last one counts. @returns '' for an absent one. @throws UnrecognizedBodyError for names that are none */
function namesOf(members: Members): Names {
  const names: Names = { name: '', apiVersion: '' };
  let problem: string | undefined;
  for (const [member, value] of members) {
    const name = nameIn(member);
    if (name === undefined || value === null || value === undefined) continue;
    if (typeof value !== 'string') problem ??= notText(name, value);
    else names[name === 'kind' ? 'name' : name] = value;
  }
  if (problem !== undefined) throw newUnreadableNames(problem);
  if (names.apiVersion.indexOf('/') !== names.apiVersion.lastIndexOf('/'))
    throw new UnrecognizedBodyError(`unexpected GroupVersion string: ${names.apiVersion}`);
  return names;
}

/** What is wrong with a name that is no text, as Go's decoder says it of a struct without a name. */
function notText(member: string, value: unknown): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go struct field .${member} of type string`;
}
