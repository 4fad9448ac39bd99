import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { forbidden } from '../plugin-interface/refusal.ts';

/** Denies whatever would change something; for tests of what then happens. */
export function alwaysDeny(): AdmissionPlugin {
  const deny: NonNullable<AdmissionPlugin['mutate']> = (attributes) => {
    throw forbidden(attributes, 'admission control is denying all modifications');
  };
  return { mutate: deny, validate: deny };
}
