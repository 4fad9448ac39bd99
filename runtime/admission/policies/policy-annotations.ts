/** Audit annotations that policies compute for one request. Several values of one key are joined, without repetition. */
import type { RequestContext } from '../../contract/request-context.ts';

export class PolicyAnnotations {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, new Set([value]));
    else values.add(value);
  }

  publish(request: Pick<RequestContext, 'annotate'>): void {
    for (const [key, values] of this.#values) request.annotate(key, [...values].join(', '));
  }
}
