/** Answers of webhooks: reviews of one kind, which say the same in two versions. All errors are in the words of 1.32. */
import { goQuote } from '../go-text/quote.ts';
import { JsonSyntaxError, parseJson } from '../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { numberText } from '../schema/scalar/raw-number.ts';
import { jsonKind } from '../schema/scalar/scalar-error.ts';
import { InexpressibleValueError, parseYaml, YamlSyntaxError } from '../schema/yaml/parse-yaml.ts';
import { yamlText } from '../schema/yaml/yaml-bytes.ts';

const VERSIONS = ['v1', 'v1beta1'] as const;
export type ReviewVersion = (typeof VERSIONS)[number];

/** Characters of a webhook's own message that clients are told. */
export const SHOWN = 8 * 1_024;

/** An answer that is none. The message is for clients. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

/** The first version that both sides speak; undefined where there is none. */
export function reviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  return understood.map((name) => VERSIONS.find((version) => version === name)).find((version) => version !== undefined);
}

/** The kind and version of a review. */
export interface ReviewNames {
  /** the kind, such as `AdmissionReview` */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

/** What was asked. */
export interface Review extends ReviewNames {
  readonly version: ReviewVersion;
  readonly uid: string;
}

/** The answer, which is a review of the kind and the version that was asked, or does not say what it is. @throws ReviewError */
export function parsedReview(bytes: Buffer, review: ReviewNames): JsonObject {
  const answer = parsed(bytes);
  checkNames(answer, review);
  return answer;
}

/** @throws ReviewError */
function parsed(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = isYaml(bytes) ? parseYaml(yamlText(bytes)).value : parseJson(bytes.toString(), bytes).value;
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw new ReviewError(`yaml: ${error.message}`);
    if (error instanceof InexpressibleValueError) throw new ReviewError(error.message);
    throw error instanceof JsonSyntaxError ? unreadable(error.message) : error;
  }
  if (value === null) return {};
  if (isObject(value)) return value;
  throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${NAMES}`);
}

/** The most bytes that are read as YAML, which takes many times as long as JSON: a long answer would hold up others. */
const MOST_YAML = 64 * 1024;
const JSON_BEGINS = /^\s*\{/;

/** As in 1.32, what does not begin as an object in JSON counts as YAML, whatever type it says it has: a page of a proxy, for example. */
const isYaml = (bytes: Buffer): boolean => bytes.length > 0 && bytes.length <= MOST_YAML && !JSON_BEGINS.test(bytes.toString('latin1'));

const NAMES = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const unreadable = (problem: string): ReviewError => new ReviewError(`couldn't get version/kind; json parse error: ${problem}`);

interface Names {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Reads the names of an object, which need not be one of this API. Members of other types than text count as absent. */
export function namesOf({ apiVersion, kind }: JsonObject): Names {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  const slash = text.indexOf('/');
  const names = slash === -1 ? { group: '', version: text } : { group: text.slice(0, slash), version: text.slice(slash + 1) };
  return { ...names, kind: typeof kind === 'string' ? kind : '' };
}

/** Writes names for messages, such as `shop.example/v1, Kind=Widget`. */
export const namesText = ({ group, version, kind }: Names): string => `${group}/${version}, Kind=${kind}`;

/** Checks that an answer has the kind and version of the question. Absent members count as right. @throws ReviewError if it has others */
function checkNames(answer: JsonObject, { kind: wanted, group, version }: ReviewNames): void {
  for (const name of ['apiVersion', 'kind'])
    if (answer[name] !== undefined && answer[name] !== null && typeof answer[name] !== 'string')
      throw unreadable(`json: cannot unmarshal ${jsonKind(answer[name])} into Go struct field .${name} of type string`);
  const names = namesOf(answer);
  const kind = names.kind || wanted;
  const said = names.version === '' ? `${group}/${version}` : (answer.apiVersion as string);
  const of = said.slice(said.indexOf('/') + 1);
  if (kind === wanted && versionsWith(version).some((each) => said === `${group}/${each}`)) {
    if (of !== version) throw new ReviewError(`converting (${of}.${wanted}) to (${version}.${wanted}): unknown conversion`);
  } else if (kind === 'Status' && said === 'v1')
    throw new ReviewError(`converting (v1.Status) to (${version}.${wanted}): unknown conversion`);
  else
    throw new ReviewError(
      `no kind ${goQuote(kind.slice(0, SHOWN))} is registered for version ${goQuote(said.slice(0, SHOWN))} in scheme "pkg/runtime/scheme.go:110"`,
    );
}

/** All that a kind of reviews has. */
const versionsWith = (version: string): readonly string[] => (VERSIONS.some((each) => each === version) ? VERSIONS : [version]);

/** @throws ReviewError for an answer that does not say what it is */
export function requireReview(answer: JsonObject, { kind, group, version }: Review): void {
  const wanted = namesText({ group, version, kind });
  const got = namesText(namesOf(answer));
  if (wanted !== got) throw new ReviewError(`expected webhook response of ${wanted}, got ${got}`);
}

/** @throws ReviewError for an answer to another question */
export function requireUid(uid: string, review: Review): void {
  if (uid !== review.uid) throw new ReviewError(`expected response.uid=${goQuote(review.uid)}, got ${goQuote(uid.slice(0, SHOWN))}`);
}

interface Types {
  readonly object: JsonObject;
  readonly string: string;
  readonly array: readonly unknown[];
  readonly bool: boolean;
}

/** The place of a member, for errors in the words of Go. */
export interface MemberPlace {
  /** the name of the review's kind and the path from it, as Go shows them */
  readonly path: string;
  readonly type: string;
}

/** @returns undefined for a member that is absent or null. @throws ReviewError for a value of another type */
export function reviewMember<T extends keyof Types>(
  of: JsonObject,
  name: string,
  wanted: T,
  { path, type }: MemberPlace,
): Types[T] | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (jsonKind(value) === wanted) return value as Types[T];
  throw mismatched(jsonKind(value), { path, type });
}

const mismatched = (found: string, { path, type }: MemberPlace): ReviewError =>
  new ReviewError(`json: cannot unmarshal ${found} into Go struct field ${path} of type ${type}`);

/** @returns none for a member that is absent or null. @throws ReviewError for what is no list of texts */
export function reviewTexts(of: JsonObject, name: string, path: string): string[] {
  const values = reviewMember(of, name, 'array', { path, type: '[]string' }) ?? [];
  return values.map((value) => reviewMember({ value }, 'value', 'string', { path, type: 'string' }) ?? '');
}

/** @returns undefined for a member that is absent or null. @throws ReviewError for what is no integer of 32 bits */
export const reviewInt32 = (of: JsonObject, name: string, path: string): number | undefined => reviewInteger(of, name, path, 32);

/** @returns the nearest number; undefined for a member that is absent or null. @throws ReviewError for what is no integer of 64 bits */
export const reviewInt64 = (of: JsonObject, name: string, path: string): number | undefined => reviewInteger(of, name, path, 64);

function reviewInteger(of: JsonObject, name: string, path: string, bits: 32 | 64): number | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  const type = `int${bits}`;
  const text = numberText(value);
  if (text === undefined) throw mismatched(jsonKind(value), { path, type });
  if (INTEGER.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text)) return Number(text);
  throw mismatched(`number ${text.slice(0, SHOWN)}`, { path, type });
}

/** An integer of 64 bits, or a little longer: what takes long to read is none. */
const INTEGER = /^-?\d{1,19}$/;
