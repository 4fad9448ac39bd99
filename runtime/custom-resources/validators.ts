/** Validators of custom kinds, made of their schemas. */
import type { KindValidators, Validator } from '../contract/kind.ts';
import type { CustomSchema } from '../kinds/custom-objects/custom-schema.ts';
import { embeddedFindings } from '../kinds/custom-objects/embedded-objects.ts';
import { listFindings } from '../kinds/custom-objects/list-types.ts';
import { type ScalePaths, scaleFindings } from '../kinds/custom-objects/scale-numbers.ts';
import { SchemaCheck } from '../kinds/custom-objects/schema-check.ts';

/**
 * The schema's findings, those of the numbers of replicas, those of objects within the object, then those of lists whose elements are told apart, which
 * an update of an object that broke that before is not told of. A status is validated with the whole of its object, but for the objects in it.
 */
export function customValidators(schema: CustomSchema, scale?: ScalePaths): KindValidators {
  const check = new SchemaCheck(schema);
  const validator =
    (statusOnly: boolean): Validator =>
    (value, old, _context, _scope, out) => {
      const inLists = listFindings(schema, value);
      out.push(
        ...check.findings(value, old),
        ...scaleFindings(scale, value, statusOnly),
        ...(statusOnly ? [] : embeddedFindings(schema, value)),
        ...(inLists.length > 0 && old !== undefined && listFindings(schema, old).length > 0 ? [] : inLists),
      );
    };
  return { object: validator(false), status: validator(true) };
}
