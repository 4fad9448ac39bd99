import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Struct } from '../struct.ts';
import { validateList } from './collections.ts';
import { CONFIGURATIONS_LIMIT, SELECTORS_LIMIT, validateConfiguration, validateDeviceSelector } from './device-configuration.ts';

/** @param old spec of the stored class: settings that are exactly as they were count as stored */
function validateSpec(spec: Struct, old?: Struct): FieldError[] {
  const stored = old !== undefined && deepEqual(spec.config, old.config);
  return [
    ...validateList<Struct>(spec.selectors, 'spec.selectors', SELECTORS_LIMIT, validateDeviceSelector),
    ...validateList<Struct>(spec.config, 'spec.config', CONFIGURATIONS_LIMIT, (settings, at) =>
      validateConfiguration(settings, at, stored),
    ),
  ];
}

export const rules: KindRules = {
  validate: ({ spec }) => validateSpec(spec),
  /** 1.32 looks at an updated class twice. */
  validateUpdate: ({ spec }, old) => validateSpec(spec, old.spec),
};
