/** Amounts of resources that pods and their containers ask for, or may take. */
import type { Container, PodSpec } from '../../../../generated/core/v1/types.ts';
import { type Amounts, amountsOf, largest, NO_AMOUNTS, sum } from '../../../schema/scalar/amounts.ts';

export function containerAmounts({ resources }: Pick<Container, 'resources'>, of: 'requests' | 'limits'): Amounts {
  return amountsOf(resources?.[of] as Readonly<Record<string, string>> | undefined);
}

/**
 * What all containers of a pod ask for, or may take, at once: those that run together, and no less than what one that runs before them needs, with
 * those that it started and that go on (KEP-753).
 * @param own what one container alone asks for or may take
 */
export function podAmounts(
  spec: PodSpec,
  of: 'requests' | 'limits',
  own = (container: Container): Amounts => containerAmounts(container, of),
): Amounts {
  let together = NO_AMOUNTS;
  for (const container of spec.containers ?? []) together = sum(together, own(container));
  let goingOn = NO_AMOUNTS;
  let before = NO_AMOUNTS;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      together = sum(together, own(container));
      goingOn = sum(goingOn, own(container));
      before = largest(before, goingOn);
    } else before = largest(before, sum(own(container), goingOn));
  }
  return largest(together, before);
}
