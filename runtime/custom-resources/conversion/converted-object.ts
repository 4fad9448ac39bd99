/** Checks an object that a webhook has converted: it may change everything but the object's identity. All errors are in the words of 1.32. */
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { validateAnnotations, validateLabels } from '../../kinds/metadata/labels.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import { isRawNumber, numberText } from '../../schema/scalar/raw-number.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import { untypedValue } from '../../schema/untyped.ts';
import { newUnclassified } from '../../status/status.ts';
import { namesOf } from './conversion-review.ts';

/**
 * The webhook has returned an invalid object. The message is for clients, and follows the name of the converted resource. It is that of an object that was
 * converted alone, for 1.32 has each converted by itself.
 */
export class ConvertedError extends Error {
  override readonly name: string = 'ConvertedError';
}

/** What the webhook has returned for an object is none. The message is all that clients are told. */
export class UnreadableError extends ConvertedError {
  override readonly name = 'UnreadableError';
}

/**
 * @param value what the webhook has made of `original`; may be changed
 * @param apiVersion that was asked for
 * @returns with the metadata of the original but for labels and annotations. @throws ConvertedError
 */
export function convertedObject(value: unknown, original: ApiObject, apiVersion: string): ApiObject {
  const object = requireObject(value);
  const { group, version, kind } = namesOf(object);
  const got = group === '' ? version : `${group}/${version}`;
  if (got !== apiVersion)
    throw new ConvertedError(`returned invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${got})`);
  if (kind !== original.kind)
    throw new ConvertedError(`returned invalid object at index 0: invalid kind (expected ${original.kind}, received ${kind})`);
  // apply compares with an object that has nothing yet
  const metadata: ObjectMeta | undefined = original.metadata;
  checkIdentity(object, metadata ?? {});
  if (metadata !== undefined || object.metadata !== undefined) object.metadata = keptMetadata(object.metadata, metadata ?? {});
  return object as unknown as ApiObject;
}

function requireObject(value: unknown): JsonObject {
  const problem = problemOf(value);
  if (problem !== undefined) throw new UnreadableError(problem);
  return value as JsonObject;
}

function problemOf(value: unknown): string | undefined {
  if (value === null) return 'unexpected end of JSON input';
  if (!isObject(value)) return `json: cannot unmarshal ${goTypeOf(value).json} into Go value of type map[string]interface {}`;
  const number = problemOfNumbers(value);
  if (number !== undefined || (typeof value.kind === 'string' && value.kind !== '')) return number;
  return `Object 'Kind' is missing in '${writeJson(value).slice(0, SHOWN)}'`;
}

function problemOfNumbers(value: JsonObject): string | undefined {
  try {
    untypedValue(value);
    return undefined;
  } catch (error) {
    if (error instanceof ScalarError) return error.message;
    throw error;
  }
}

/** Characters of an object that a message shows. */
const SHOWN = 1_024;

const IDENTITY = [
  { member: 'name', called: 'name' },
  { member: 'namespace', called: 'namespace' },
  { member: 'uid', called: 'UID' },
] as const;

function checkIdentity({ metadata }: JsonObject, original: ObjectMeta): void {
  for (const { member, called } of IDENTITY) {
    const before = original[member] ?? '';
    const value = isObject(metadata) ? metadata[member] : undefined;
    const after = typeof value === 'string' ? value : '';
    if (before !== after) throw new ConvertedError(`returned invalid object: must have the same ${called}: ${before} != ${after}`);
  }
}

/** Takes labels and annotations from the webhook. All other metadata are those of the original. */
function keptMetadata(metadata: unknown, original: ObjectMeta): ObjectMeta {
  if (!isObject(metadata))
    throw invalidMetadata(
      metadata === undefined
        ? 'missing metadata in converted object'
        : `invalid metadata of type ${goTypeOf(metadata).go} in converted object`,
    );
  const { labels: _labels, annotations: _annotations, ...kept } = original;
  const labels = textsOf(metadata, 'labels');
  checkTexts(labels, original.labels, () => validateLabels(labels, 'metadata.labels'));
  const annotations = textsOf(metadata, 'annotations');
  // 1.32 has this path for annotations, in the singular
  checkTexts(annotations, original.annotations, () => validateAnnotations(annotations, 'metadata.annotation'));
  return { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
}

const invalidMetadata = (problem: string): ConvertedError => new ConvertedError(`returned invalid metadata: ${problem}`);

type Texts = Record<string, string>;

function textsOf(metadata: JsonObject, member: 'labels' | 'annotations'): Texts | undefined {
  const value = metadata[member];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalidMetadata(`invalid metadata.${member} of type ${goTypeOf(value).go} in converted object`);
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string')
      throw invalidMetadata(`metadata.${member}[${key}] must be a string, but is ${goTypeOf(text).go} in converted object`);
  return value as Texts;
}

/** Validates only labels or annotations that the webhook has changed. */
function checkTexts(texts: Texts | undefined, before: Texts = {}, validate: () => ReturnType<typeof validateLabels>): void {
  if (texts === undefined) return;
  const keys = Object.keys(texts);
  if (keys.length === Object.keys(before).length && keys.every((key) => before[key] === texts[key])) return;
  const errors = validate();
  if (errors.length > 0) throw invalidMetadata(newUnclassified(errors).message);
}

/** What JSON and Go call the type of a value. */
function goTypeOf(value: unknown): { readonly json: string; readonly go: string } {
  if (value === null) return { json: 'null', go: '<nil>' };
  if (Array.isArray(value)) return { json: 'array', go: '[]interface {}' };
  if (typeof value === 'string') return { json: 'string', go: 'string' };
  if (typeof value === 'boolean') return { json: 'bool', go: 'bool' };
  if (typeof value === 'number' || isRawNumber(value))
    return { json: 'number', go: /^-?\d+$/.test(numberText(value) ?? '') ? 'int64' : 'float64' };
  return { json: 'object', go: 'map[string]interface {}' };
}
