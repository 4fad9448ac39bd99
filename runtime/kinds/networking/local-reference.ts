/** References to an object of any kind in the same namespace. */
import { type FieldError, required } from '../../contract/field-error.ts';
import { dnsSubdomain, pathSegment } from '../../formats/names.ts';
import { invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

export function validateLocalReference({ apiGroup, kind, name }: Struct, path: string): readonly FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : invalidAs(dnsSubdomain(apiGroup), `${path}.apiGroup`, apiGroup)),
    ...segment(kind, `${path}.kind`, 'kind is required'),
    ...segment(name, `${path}.name`, 'name is required'),
  ];
}

function segment(value: string | undefined, path: string, missing: string): readonly FieldError[] {
  return value ? invalidAs(pathSegment(value), path, value) : [required(path, missing)];
}
