/** Claims of devices, and the devices of each class that they may take (KEP-4381). */
import type { DeviceRequest } from '../../../../generated/resource/v1beta1/types.ts';
import { type Amounts, integer, ONE } from '../../../schema/scalar/amounts.ts';
import { addQuantities } from '../../../schema/scalar/quantity.ts';
import { bigintOf } from '../../../schema/scalar/raw-number.ts';
import { countName, type Evaluator, type EvaluatorParts, isWrite } from '../evaluator.ts';

/** Devices of one claim at most, which is what a request for all of them may come to. */
const MOST_DEVICES = 32;

export function resourceClaims({ text }: EvaluatorParts): Evaluator {
  const count = countName(text('resource.${groupDomain}'), 'resourceclaims');
  const devices = text('.deviceclass.resource.${groupDomain}/devices');
  return {
    plain: new Set([count]),
    members: ['spec'],
    handles: isWrite,
    counts: (name) => name === count || name.endsWith(devices),
    usage({ spec }): Amounts {
      const usage = new Map([[count, ONE]]);
      for (const request of (spec?.devices?.requests ?? []) as DeviceRequest[]) {
        const name = `${request.deviceClassName}${devices}`;
        const before = usage.get(name);
        const more = integer(devicesOf(request));
        usage.set(name, before === undefined ? more : addQuantities(before, more));
      }
      return usage;
    },
  };
}

/** A mode of a later release counts nothing. */
function devicesOf({ allocationMode, count }: DeviceRequest): number | bigint {
  if (allocationMode === 'All') return MOST_DEVICES;
  return allocationMode === 'ExactCount' ? bigintOf(count ?? 0) : 0;
}
