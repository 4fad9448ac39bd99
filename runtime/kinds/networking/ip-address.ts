import { type FieldError, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { canonicalIp } from '../../formats/addresses.ts';
import { dnsSubdomain, pathSegment } from '../../formats/names.ts';
import { invalidAs, neededAs } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';

const PARENT = 'spec.parentRef';

function validate({ metadata, spec }: ApiObject): FieldError[] {
  return [
    ...(metadata.generateName ? invalidAs(canonicalIp(metadata.generateName), 'metadata.generateName', metadata.generateName) : []),
    ...(metadata.name ? invalidAs(canonicalIp(metadata.name), 'metadata.name', metadata.name) : []),
    ...validateParent(spec?.parentRef),
  ];
}

function validateParent(parent: Struct | undefined): FieldError[] {
  if (parent === undefined || parent === null) return [required(PARENT)];
  const { group, resource, namespace, name } = parent;
  return [
    ...(group ? invalidAs(dnsSubdomain(group), `${PARENT}.group`, group) : []),
    ...neededAs(resource, `${PARENT}.resource`, pathSegment),
    ...neededAs(name, `${PARENT}.name`, pathSegment),
    ...(namespace ? invalidAs(pathSegment(namespace), `${PARENT}.namespace`, namespace) : []),
  ];
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.spec?.parentRef, old.spec?.parentRef, PARENT),
};
