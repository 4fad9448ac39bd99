/** Autoscalers of v2beta2, which have the members of v2. */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { statusFromV2, statusToV2 } from './beta-status.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';

export function conversion(identity: Identity): ConversionFunctions {
  const dropAnnotations = roundTripAnnotationDropper(identity);
  const convert = (object: ApiObject, status: (status: object) => object): ApiObject => {
    dropAnnotations(object);
    object.status = status(object.status ?? {});
    return object;
  };
  return { toHub: (object) => convert(object, statusToV2), fromHub: (object) => convert(object, statusFromV2) };
}
