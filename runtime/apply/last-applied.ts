/**
 * The annotation in which client-side apply keeps the last applied configuration. The server updates it when kubectl applies on the server,
 * and lets kubectl take over the fields that it names, so that users can switch between the two kinds of apply.
 */
import { JsonSyntaxError, parseJson } from '../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { goText } from '../schema/structural/go-json.ts';
import { compareObjects } from './compare.ts';
import { difference, type FieldSet, hasPath } from './field-set.ts';
import { intentErrors } from './intent.ts';
import { fieldsOf } from './owned-fields.ts';
import { ApplyConflicts } from './ownership.ts';
import type { OwnedVersion } from './versions.ts';

/**
 * Removes the conflicts over fields that still have the value in the annotation, because for kubectl they are none.
 * @param live in the version
 * @param annotation its value; undefined if there is none
 * @returns the remaining conflicts
 */
export function beyondLastApplied(
  version: OwnedVersion,
  live: object,
  annotation: string | undefined,
  found: ApplyConflicts,
): ApplyConflicts {
  const allowed = fieldsStillAsApplied(version, live, annotation);
  return allowed === undefined ? found : new ApplyConflicts(found.conflicts.filter(({ path }) => !hasPath(allowed, path)));
}

/** @returns undefined if the annotation is not usable */
function fieldsStillAsApplied(
  { apiVersion, type, shape }: OwnedVersion,
  live: object,
  annotation: string | undefined,
): FieldSet | undefined {
  const applied = annotation === undefined || annotation === '' ? undefined : parsed(annotation);
  if (applied === undefined || applied.apiVersion !== apiVersion || intentErrors(type, applied).length > 0) return undefined;
  const { added, modified, removed } = compareObjects(shape, applied, live);
  return difference(difference(difference(fieldsOf(shape, applied), modified), added), removed);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const { value } = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The value of the annotation for an applied intent: its JSON with sorted members, without the annotation itself. */
export function lastAppliedText(intent: JsonObject, annotation: string): string {
  const { metadata } = intent;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return `${goText(intent)}\n`;
  const { [annotation]: _own, ...others } = annotations;
  return `${goText({ ...intent, metadata: { ...metadata, annotations: others } })}\n`;
}

/** The limit of bytes of all annotations together. */
const MAX_ANNOTATIONS = 256 * 1024;

/** Metadata whose annotations the server writes. */
interface Annotated {
  annotations?: Record<string, string> | undefined;
}

/**
 * Updates the annotation if it is set, and removes it if it would make the annotations too large; the last one leaves no empty map behind.
 * Changes `metadata`.
 */
export function keepLastApplied(metadata: Annotated, annotation: string, intent: JsonObject): void {
  const { annotations } = metadata;
  if (annotations === undefined || (annotations[annotation] ?? '') === '') return;
  annotations[annotation] = lastAppliedText(intent, annotation);
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size <= MAX_ANNOTATIONS) return;
  delete annotations[annotation];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
