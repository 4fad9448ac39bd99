/** Amounts of resources, by their names: as specs state them, added and compared as quantities. */
import type { Container, PodSpec } from '../../generated/core/v1/types.ts';
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../schema/scalar/quantity.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

const NONE: Amounts = new Map();

/** @param list by names, such as `{ cpu: '100m' }` */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return list === undefined ? NONE : new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]));
}

export function sum(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, addQuantities);
}

/** Of each resource the larger one. */
export function largest(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (x, y) => (compareQuantities(x, y) >= 0 ? x : y));
}

function combined(a: Amounts, b: Amounts, both: (x: Quantity, y: Quantity) => Quantity): Amounts {
  if (b.size === 0) return a;
  const result = new Map(a);
  for (const [name, quantity] of b) {
    const before = result.get(name);
    result.set(name, before === undefined ? quantity : both(before, quantity));
  }
  return result;
}

/** As users read them. */
export const amountText = (quantity: Quantity): string => formatQuantity(quantity);

/**
 * What all containers of a pod ask for, or may take, at once: those that run together, and no less than what one that runs before them needs, with
 * those that it started and that go on (KEP-753).
 */
export function podAmounts(spec: PodSpec, of: 'requests' | 'limits'): Amounts {
  const own = ({ resources }: Container): Amounts => amountsOf(resources?.[of] as Readonly<Record<string, string>> | undefined);
  let together = NONE;
  for (const container of spec.containers ?? []) together = sum(together, own(container));
  let goingOn = NONE;
  let before = NONE;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      together = sum(together, own(container));
      goingOn = sum(goingOn, own(container));
      before = largest(before, goingOn);
    } else before = largest(before, sum(own(container), goingOn));
  }
  return largest(together, before);
}
