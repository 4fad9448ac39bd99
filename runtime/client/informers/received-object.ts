/** An object as it was received. It is parsed only when somebody reads it, because an informer itself needs little more than the metadata. */
import { parseJson } from '../objects/json.ts';
import type { AnyMetadata, AnyObject } from '../objects/object.ts';
import { metadataIn } from './metadata-scan.ts';

/** Kind and version of all objects of a resource. The items of lists do not state them. */
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

  /** @param json UTF-8; nobody may change it afterwards */
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

  /** Makes the JSON now if there is none yet. @throws TypeError for an object that cannot be written as JSON */
  complete(): this {
    void this.json;
    return this;
  }

  /** Name, namespace, uid and resourceVersion. @throws SyntaxError, JsonSyntaxError */
  get metadata(): AnyMetadata {
    this.#metadata ??= this.#object?.metadata ?? (this.#json && metadataIn(this.#json)) ?? this.read().metadata ?? {};
    return this.#metadata;
  }

  /** @returns the parsed object, the same one each time. @throws SyntaxError, JsonSyntaxError */
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
