import type { Resource } from '../../registry/resource.ts';
import type { AdmissionAttributes } from './attributes.ts';

/** What the rules of webhooks and policies look at. The kind follows from the resource and the subresource. */
export type RequestShape = Pick<AdmissionAttributes, 'resource' | 'operation' | 'subresource' | 'kind'>;

/** Remembers something for requests of each resource, operation and subresource, such as the webhooks whose rules they meet. */
export class ByRequestShape<V extends object | null> {
  readonly #make: (shape: RequestShape) => V;
  #made = new WeakMap<Resource, Map<string, V>>();

  /** @param make called once for each resource, operation and subresource; goes by nothing else of the request */
  constructor(make: (shape: RequestShape) => V) {
    this.#make = make;
  }

  /** Costs a look into two maps, but for the first request of its shape. */
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

  /** To be called when `make` would make something else. */
  forget(): void {
    this.#made = new WeakMap();
  }
}
