/** How an informer holds its objects: as text, which takes their JSON's size and gives each reader an object of their own, or as objects. */
import { parseJson } from '../objects/json.ts';
import type { AnyObject } from '../objects/object.ts';

export interface Holder<H> {
  hold(object: AnyObject, json: Buffer | undefined): H;
  read(held: H): AnyObject;
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * Holds the bytes of the JSON, one in each character: V8 has a byte for each of them where a character of other text needs two.
 * @param kind of all objects, which those of lists do not say
 */
export function textHolder(kind: Readonly<Pick<AnyObject, 'kind' | 'apiVersion'>>): Holder<string> {
  return {
    hold: (object, json) => (json ?? Buffer.from(JSON.stringify(object))).toString('latin1'),
    read: (held) => withKind(parseJson<AnyObject>(ASCII.test(held) ? held : Buffer.from(held, 'latin1').toString()), kind),
  };
}

export const objectHolder: Holder<AnyObject> = { hold: (object) => object, read: (held) => held };

export function withKind(object: AnyObject, { kind, apiVersion }: Readonly<Pick<AnyObject, 'kind' | 'apiVersion'>>): AnyObject {
  if (kind !== undefined) object.kind ??= kind;
  if (apiVersion !== undefined) object.apiVersion ??= apiVersion;
  return object;
}
