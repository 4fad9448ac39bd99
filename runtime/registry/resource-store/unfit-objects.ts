/** Objects whose fields cannot be compared, since a version does not allow what they have, and how 1.32 tells of them. */
import { intentErrors, typeErrorText } from '../../apply/intent.ts';
import { ElementError } from '../../apply/list-elements.ts';
import type { OwnedVersion } from '../../apply/versions.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { KindVersion } from './kind-version.ts';

export const unfit = (live: ApiObject, problem: string): string => `failed to create typed live object (${shownObject(live)}): ${problem}`;

export const unfitToOwn = (live: ApiObject, problem: string): string =>
  `failed to create manager for existing fields: failed to convert new object (${shownObject(live)}) to smd typed: ${problem}`;

export const unconvertible = (intent: Readonly<Record<string, unknown>>, problem: string): string =>
  `failed to convert new object (${shownObject(intent)}) to proper version: unable to convert unstructured object to ${shownType(intent)}: ${problem}`;

/** A converter has made an object of a version that does not allow it, such as one with members that only the other version has. */
export class UnfitConversion extends ElementError {}

/**
 * As in 1.32, nothing is left out of converted objects, nor are they completed: owners of a version cannot be compared by an object that it does not allow.
 * @throws UnfitConversion
 */
export function requireFit(objects: readonly ApiObject[], version: OwnedVersion): void {
  for (const [index, object] of objects.entries()) {
    const errors = intentErrors((version as KindVersion).kind.compiled, object);
    const which = objects.length === 1 ? 'merged' : ['old', 'new'][index];
    if (errors.length > 0) throw new UnfitConversion(`failed to convert ${which} object: ${typeErrorText(errors)}`);
  }
}

/** @param intent whatever a client sends */
export function shownType(intent: Readonly<Record<string, unknown>>): string {
  const [apiVersion, kind] = [intent.apiVersion, intent.kind].map((text) => (typeof text === 'string' ? text : ''));
  return `${apiVersion?.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Shows the name and the type of an object in messages, such as `default/a; apps/v1, Kind=Deployment`. @param object anything that a client has sent */
export function shownObject(object: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = (object.metadata ?? {}) as Readonly<Record<string, unknown>>;
  return `${textOrNothing(namespace)}/${textOrNothing(name)}; ${shownType(object)}`;
}

/** Shows a name as it was sent if it is a text. */
const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');
