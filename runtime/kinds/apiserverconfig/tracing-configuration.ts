import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { Struct } from '../struct.ts';

const MILLION = 1_000_000;

export const rules: KindRules = { validate: (settings) => validateTracing(settings, '') };

/** @param prefix of paths, such as `tracing.` */
export function validateTracing({ endpoint, samplingRatePerMillion: rate }: Struct, prefix: string): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof rate === 'number' && (rate < 0 || rate > MILLION))
    errors.push(invalid(`${prefix}samplingRatePerMillion`, rate, 'sampling rate must be between 0 and one million, inclusive'));
  if (typeof endpoint === 'string' && endpoint.includes('://'))
    errors.push(invalid(`${prefix}endpoint`, endpoint, 'must be an address without a scheme, such as localhost:4317'));
  return errors;
}
