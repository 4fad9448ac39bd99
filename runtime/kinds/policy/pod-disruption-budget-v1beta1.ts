/** Disruption budgets between v1beta1 and v1: the versions differ in what an empty selector means. */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isEmpty } from '../../selectors/label-selector.ts';
import { isMarker, marker, markerLabel } from './empty-selector.ts';

export function conversion(identity: Identity): ConversionFunctions {
  const label = markerLabel(identity);
  const exchange = (empty: 'Exists' | 'DoesNotExist', marked: 'Exists' | 'DoesNotExist') => (object: ApiObject) => {
    const selector = object.spec?.selector;
    if (selector === undefined) return object;
    if (isEmpty(selector)) object.spec.selector = marker(label, empty);
    else if (isMarker(selector, label, marked)) object.spec.selector = {};
    return object;
  };
  return { toHub: exchange('Exists', 'DoesNotExist'), fromHub: exchange('DoesNotExist', 'Exists') };
}
