/** Validators of custom kinds, made of their schemas. */
import type { KindValidators, Validator } from '../contract/kind.ts';
import type { CustomSchema } from '../kinds/custom-objects/custom-schema.ts';
import { embeddedFindings } from '../kinds/custom-objects/embedded-objects.ts';
import { listFindings } from '../kinds/custom-objects/list-types.ts';
import { SchemaCheck } from '../kinds/custom-objects/schema-check.ts';

/** The schema's findings, then those of objects within the object, then those of lists whose elements are told apart. A status is validated with the whole of its object. */
export function customValidators(schema: CustomSchema): KindValidators {
  const check = new SchemaCheck(schema);
  const object: Validator = (value, old, _context, _scope, out) => {
    out.push(...check.findings(value, old), ...embeddedFindings(schema, value), ...listFindings(schema, value));
  };
  return { object, status: object };
}
