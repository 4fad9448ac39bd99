/** ConversionReviews: questions to a webhook, and what it answers. All errors are in the words of 1.32. */
import { goQuote } from '../../go-text/quote.ts';
import { JsonSyntaxError, parseJson } from '../../schema/json-text.ts';
import { isObject, type JsonObject } from '../../schema/member.ts';
import { jsonKind } from '../../schema/scalar/scalar-error.ts';

const KIND = 'ConversionReview';
const VERSIONS = ['v1', 'v1beta1'] as const;
export type ReviewVersion = (typeof VERSIONS)[number];

/** Characters of a webhook's own message that clients are told. */
const SHOWN = 8 * 1_024;

/** An answer that is none. The message is for clients. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

/** The first version that both sides speak; undefined where there is none. */
export function reviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  return understood.map((name) => VERSIONS.find((version) => version === name)).find((version) => version !== undefined);
}

export interface Review {
  /** of reviews */
  readonly group: string;
  readonly version: ReviewVersion;
  readonly uid: string;
}

/** @param objects JSON of each. @returns JSON; 1.32 sends an empty answer with each question, which some webhooks fill in */
export function reviewText({ group, version, uid }: Review, desiredAPIVersion: string, objects: readonly string[]): string {
  const [kind, apiVersion, id, desired] = [KIND, `${group}/${version}`, uid, desiredAPIVersion].map((text) => JSON.stringify(text));
  const request = `{"uid":${id},"desiredAPIVersion":${desired},"objects":[${objects.join(',')}]}`;
  return `{"kind":${kind},"apiVersion":${apiVersion},"request":${request},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}`;
}

/**
 * @param bytes the answer
 * @returns what the webhook has made of the objects, however many and whatever they are
 * @throws ReviewError
 */
export function convertedObjects(bytes: Buffer, review: Review): readonly unknown[] {
  const answer = parsed(bytes);
  checkNames(answer, review);
  const response = member(answer, 'response', 'object', 'response', `${review.version}.ConversionResponse`);
  const uid = member(response ?? {}, 'uid', 'string', 'response.uid', 'types.UID') ?? '';
  const objects = member(response ?? {}, 'convertedObjects', 'array', 'response.convertedObjects', '[]runtime.RawExtension') ?? [];
  const result = member(response ?? {}, 'result', 'object', 'response.result', 'v1.Status') ?? {};
  const status = member(result, 'status', 'string', 'response.result.status', 'string') ?? '';
  const message = member(result, 'message', 'string', 'response.result.message', 'string') ?? '';
  if (review.version === 'v1') requireReview(answer, review);
  if (response === undefined) throw new ReviewError('no response provided');
  if (review.version === 'v1' && uid !== review.uid)
    throw new ReviewError(`expected response.uid=${goQuote(review.uid)}, got ${goQuote(uid.slice(0, SHOWN))}`);
  if (status === 'Success') return objects;
  throw new ReviewError(message.slice(0, SHOWN) || `response.result.status was '${status.slice(0, SHOWN)}', not 'Success'`);
}

/** @throws ReviewError */
function parsed(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseJson(bytes.toString(), bytes).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw unreadable(error.message);
  }
  if (value === null) return {};
  if (isObject(value)) return value;
  throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${NAMES}`);
}

const NAMES = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const unreadable = (problem: string): ReviewError => new ReviewError(`couldn't get version/kind; json parse error: ${problem}`);

interface Names {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Of an object that need not be one of this API. Members of other types are as good as absent. */
export function namesOf({ apiVersion, kind }: JsonObject): Names {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  const slash = text.indexOf('/');
  const names = slash === -1 ? { group: '', version: text } : { group: text.slice(0, slash), version: text.slice(slash + 1) };
  return { ...names, kind: typeof kind === 'string' ? kind : '' };
}

/** Such as `shop.example/v1, Kind=Widget`. */
export const namesText = ({ group, version, kind }: Names): string => `${group}/${version}, Kind=${kind}`;

/** What is not said is taken for what was asked. @throws ReviewError for what says that it is something else */
function checkNames(answer: JsonObject, { group, version }: Review): void {
  for (const name of ['apiVersion', 'kind'])
    if (answer[name] !== undefined && answer[name] !== null && typeof answer[name] !== 'string')
      throw unreadable(`json: cannot unmarshal ${jsonKind(answer[name])} into Go struct field .${name} of type string`);
  const names = namesOf(answer);
  const kind = names.kind || KIND;
  const said = names.version === '' ? `${group}/${version}` : (answer.apiVersion as string);
  const of = said.slice(said.indexOf('/') + 1);
  if (kind === KIND && VERSIONS.some((each) => said === `${group}/${each}`)) {
    if (of !== version) throw new ReviewError(`converting (${of}.${KIND}) to (${version}.${KIND}): unknown conversion`);
  } else if (kind === 'Status' && said === 'v1')
    throw new ReviewError(`converting (v1.Status) to (${version}.${KIND}): unknown conversion`);
  else
    throw new ReviewError(
      `no kind ${goQuote(kind.slice(0, SHOWN))} is registered for version ${goQuote(said.slice(0, SHOWN))} in scheme "pkg/runtime/scheme.go:110"`,
    );
}

/** @throws ReviewError for an answer that does not say what it is */
function requireReview(answer: JsonObject, { group, version }: Review): void {
  const wanted = namesText({ group, version, kind: KIND });
  const got = namesText(namesOf(answer));
  if (wanted !== got) throw new ReviewError(`expected webhook response of ${wanted}, got ${got}`);
}

interface Types {
  readonly object: JsonObject;
  readonly string: string;
  readonly array: readonly unknown[];
}

/** @param path as Go shows it. @param type Go's. @returns undefined for a member that is absent or null. @throws ReviewError for a value of another type */
function member<T extends keyof Types>(of: JsonObject, name: string, wanted: T, path: string, type: string): Types[T] | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (jsonKind(value) === wanted) return value as Types[T];
  throw new ReviewError(`json: cannot unmarshal ${jsonKind(value)} into Go struct field ${KIND}.${path} of type ${type}`);
}
