/** An object as it came, of which most is read only where somebody wants it: an informer of many objects needs little more than their names. */
import { parseJson } from '../objects/json.ts';
import type { AnyMetadata, AnyObject } from '../objects/object.ts';
import { metadataIn } from './metadata-scan.ts';

/** Of all objects of a resource; those of lists do not say it. */
export type KindOfAll = Readonly<Pick<AnyObject, 'kind' | 'apiVersion'>>;

export class ReceivedObject {
  readonly #kind: KindOfAll;
  #json: Buffer | undefined;
  #object: AnyObject | undefined;
  #metadata: AnyMetadata | undefined;

  private constructor(kind: KindOfAll, json: Buffer | undefined, object: AnyObject | undefined) {
    this.#kind = kind;
    this.#json = json;
    this.#object = object;
  }

  /** @param json UTF-8, which nobody changes */
  static ofJson(json: Buffer, kind: KindOfAll): ReceivedObject {
    return new ReceivedObject(kind, json, undefined);
  }

  static ofObject(object: AnyObject, kind: KindOfAll): ReceivedObject {
    return new ReceivedObject(kind, undefined, withKind(object, kind));
  }

  get json(): Buffer {
    this.#json ??= Buffer.from(JSON.stringify(this.#object));
    return this.#json;
  }

  /** Makes its JSON now, if it has none. @throws TypeError for an object that has no JSON */
  complete(): this {
    void this.json;
    return this;
  }

  /** Its name, namespace, uid and resourceVersion. @throws SyntaxError, JsonSyntaxError */
  get metadata(): AnyMetadata {
    this.#metadata ??= this.#object?.metadata ?? (this.#json && metadataIn(this.#json)) ?? this.read().metadata ?? {};
    return this.#metadata;
  }

  /** All of it, the same each time. @throws SyntaxError, JsonSyntaxError */
  read(): AnyObject {
    this.#object ??= withKind(parseJson<AnyObject>(this.json.toString()), this.#kind);
    return this.#object;
  }
}

export function withKind(object: AnyObject, { kind, apiVersion }: KindOfAll): AnyObject {
  if (kind !== undefined) object.kind ??= kind;
  if (apiVersion !== undefined) object.apiVersion ??= apiVersion;
  return object;
}
