import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { forbidden, isOf } from '../plugin-interface/refusal.ts';

/** Services get no external addresses that they do not have already: who may name one could draw the traffic of others to his pods. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    validate(attributes) {
      const { operation, object, old } = attributes;
      if ((operation !== 'create' && operation !== 'update') || !isOf(attributes, '', 'services')) return;
      const before: readonly string[] = old?.spec?.externalIPs ?? [];
      const addresses: readonly string[] = object?.spec?.externalIPs ?? [];
      if (addresses.some((address) => !before.includes(address)))
        throw forbidden(attributes, 'Use of external IPs is denied by admission control');
    },
  };
}
