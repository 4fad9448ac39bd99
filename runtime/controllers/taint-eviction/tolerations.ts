/** How long a pod stays on a node with taints that make pods go. */
import type { ApiObject } from '../../contract/object.ts';
import { numberText, type RawNumber } from '../../schema/scalar/raw-number.ts';

export interface ExecutingTaint {
  readonly key: string;
  readonly value?: string;
}

export interface Toleration {
  /** the key of the taint; empty or absent for all taints, with the operator `Exists` */
  readonly key?: string;
  /** default `Equal` */
  readonly operator?: string;
  readonly value?: string;
  /** the effect of the taint; empty or absent for all effects */
  readonly effect?: string;
  /** the seconds for which the taint is tolerated; absent for ever, and 0 or less for not at all */
  readonly tolerationSeconds?: number | RawNumber;
}

const EFFECT = 'NoExecute';

/** The taints of a node that make pods go. */
export function executingTaints({ spec }: ApiObject): readonly ExecutingTaint[] {
  return ((spec?.taints ?? []) as (ExecutingTaint & { effect: string })[]).filter(({ effect }) => effect === EFFECT);
}

/** @returns milliseconds for which all the taints are tolerated: 0 where one is not, infinite where all are for ever, and where there are none */
export function tolerated(taints: readonly ExecutingTaint[], tolerations: readonly Toleration[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    // The first that matches decides, as in 1.32.
    const toleration = tolerations.find((each) => tolerates(each, taint));
    if (toleration === undefined) return 0;
    const { tolerationSeconds: seconds } = toleration;
    if (seconds !== undefined) least = Math.min(least, Math.max(0, Number(numberText(seconds)) * 1_000));
  }
  return least;
}

function tolerates({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: ExecutingTaint): boolean {
  if (effect !== '' && effect !== EFFECT) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || ((operator === '' || operator === 'Equal') && value === (taint.value ?? ''));
}
