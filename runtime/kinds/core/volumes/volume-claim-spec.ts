/** Specs of claims on persistent volumes, those of the claims that pods make for themselves among them. */
import type {
  PersistentVolumeClaimSpec as ClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import type { ObjectMeta } from '../../../contract/object.ts';
import { dnsLabel, dnsSubdomain } from '../../../formats/names.ts';
import { goPath, invalidShown } from '../../../go-text/values.ts';
import { NONE } from '../../../validation/joined.ts';
import { invalidAs, needed } from '../../findings.ts';
import { validateTemplateMetadata } from '../../metadata/template-metadata.ts';
import { validatePositive } from '../resource-amounts/quantities.ts';

const SHARED_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];
const CLAIM = 'PersistentVolumeClaim';

/** A volume that one pod alone may use is nobody else's. */
export function isExclusive(modes: readonly string[]): boolean {
  return !modes.includes('ReadWriteOncePod') || !modes.some((mode) => SHARED_MODES.includes(mode));
}

export function storageRequest({ resources }: ClaimSpec): readonly FieldError[] {
  const storage = resources?.requests?.storage;
  return storage === undefined ? needed(storage, '.resources[storage]') : validatePositive(storage, '.resources[storage]');
}

/** The claim's first content: `dataSource` is the older way to name it, and says the same where both are there. */
export function dataSources({ dataSource, dataSourceRef }: ClaimSpec, old: ClaimSpec | undefined): readonly FieldError[] {
  if (dataSource === undefined && dataSourceRef === undefined) return NONE;
  // What is named in a group once may be named in any.
  const anyGroup = Boolean(old?.dataSource?.apiGroup ?? old?.dataSourceRef?.apiGroup);
  const errors = [
    ...(dataSource === undefined ? NONE : validateDataSource(dataSource, '.dataSource', anyGroup)),
    ...(dataSourceRef === undefined ? NONE : validateDataSource(dataSourceRef, '.dataSourceRef', anyGroup)),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  if (dataSourceRef.namespace)
    errors.push(invalidShown('', goPath('dataSource'), 'may not be specified when dataSourceRef.namespace is specified'));
  else if (MEMBERS.some((member) => dataSource[member] !== dataSourceRef[member]))
    errors.push(invalidShown('', goPath('dataSource'), 'must match dataSourceRef'));
  return errors;
}

const MEMBERS = ['apiGroup', 'kind', 'name'] as const;

function validateDataSource(
  { name, kind, apiGroup, namespace }: TypedObjectReference,
  path: string,
  anyGroup: boolean,
): readonly FieldError[] {
  return [
    ...needed(name, `${path}.name`),
    ...needed(kind, `${path}.kind`),
    ...(!apiGroup && kind !== CLAIM ? [invalid(path, kind, `must be '${CLAIM}' when referencing the default apiGroup`)] : NONE),
    ...(apiGroup && !anyGroup ? invalidAs(dnsSubdomain(apiGroup), `${path}.apiGroup`, apiGroup) : NONE),
    ...(namespace ? invalidAs(dnsLabel(namespace), `${path}.namespace`, namespace) : NONE),
  ];
}

/** A template gives its claims nothing but labels, annotations and a spec. */
export function templateMetadata({ metadata = {} }: PersistentVolumeClaimTemplate): readonly FieldError[] {
  return validateTemplateMetadata(metadata as Partial<ObjectMeta>, '.metadata');
}
