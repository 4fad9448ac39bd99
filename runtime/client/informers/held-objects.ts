/** Two ways in which an informer holds objects: as JSON text, which is small and gives each reader an own object, or as shared objects. */
import type { AnyMetadata, AnyObject } from '../objects/object.ts';
import { type KindOfAll, ReceivedObject } from './received-object.ts';
import { TextSlabs } from './text-slabs.ts';

export interface Holder<H> {
  hold(object: ReceivedObject): H;
  /** @returns a function that reads the object in its present state, even if it is replaced or released before the call */
  reader(held: H): () => AnyObject;
  /** Name, namespace, uid and resourceVersion. */
  metadata(held: H): AnyMetadata;
  /** Must be called when the informer no longer holds the object. */
  release(held: H): void;
}

export class TextHolder implements Holder<number> {
  readonly #kind: KindOfAll;
  readonly #texts = new TextSlabs();

  /** @param kind of all objects */
  constructor(kind: KindOfAll) {
    this.#kind = kind;
  }

  hold({ json }: ReceivedObject): number {
    return this.#texts.hold(json);
  }

  reader(held: number): () => AnyObject {
    const json = this.#texts.bytes(held);
    return () => ReceivedObject.ofJson(json, this.#kind).read();
  }

  metadata(held: number): AnyMetadata {
    return ReceivedObject.ofJson(this.#texts.bytes(held), this.#kind).metadata;
  }

  release(held: number): void {
    this.#texts.release(held);
  }
}

export const objectHolder: Holder<AnyObject> = {
  hold: (object) => object.read(),
  reader: (held) => () => held,
  metadata: ({ metadata = {} }) => metadata,
  release: () => {},
};
