import type { Resource } from '../../registry/resources/resource.ts';
import type { AdmissionAttributes } from './attributes.ts';

/** The parts of a request that the rules of webhooks and policies depend on. The kind follows from the resource and the subresource. */
export type RequestShape = Pick<AdmissionAttributes, 'resource' | 'operation' | 'subresource' | 'kind'>;

/** Remembers something for requests of each resource, operation and subresource, such as the webhooks whose rules they meet. */
export class ByRequestShape<V extends object | null> {
  readonly #make: (shape: RequestShape) => V;
  #made = new WeakMap<Resource, Map<string, V>>();

  /** @param make is called once for each resource, operation and subresource, and must not depend on anything else of the request */
  constructor(make: (shape: RequestShape) => V) {
    this.#make = make;
  }

  /** Returns what was made for requests of a shape. Except for the first one, this takes two look-ups in maps. */
  of(shape: RequestShape): V {
    const { resource, operation, subresource } = shape;
    let made = this.#made.get(resource);
    if (made === undefined) {
      made = new Map();
      this.#made.set(resource, made);
    }
    const key = `${operation} ${subresource}`;
    let value = made.get(key);
    if (value === undefined) {
      value = this.#make(shape);
      made.set(key, value);
    }
    return value;
  }

  /** Forgets everything. It must be called when `make` would make something else. */
  forget(): void {
    this.#made = new WeakMap();
  }
}
