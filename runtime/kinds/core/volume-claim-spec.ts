/** Specs of claims on persistent volumes, those of the claims that pods make for themselves among them. */
import type { PersistentVolumeClaimTemplate } from '../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { goPath, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../joined.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import { validateTemplateMetadata } from '../metadata/template-metadata.ts';
import type { Struct } from '../struct.ts';
import { atPath, invalidAs, needed, oneOf } from './findings.ts';
import { validatePositive } from './quantities.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];
const CLAIM = 'PersistentVolumeClaim';

/** A volume that one pod alone may use is nobody else's. */
export function exclusiveAccess(modes: readonly string[]): readonly FieldError[] {
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  if (!known.includes('ReadWriteOncePod') || known.every((mode) => mode === 'ReadWriteOncePod')) return NONE;
  return [forbidden('', 'may not use ReadWriteOncePod with other access modes')];
}

function validateAccessModes(modes: readonly string[], path: string): readonly FieldError[] {
  return [
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES)),
    ...atPath(exclusiveAccess(modes), path),
  ];
}

/** @param old the spec before, absent of a new claim: what is named in a group once may be named in any */
export function validateClaimSpec(spec: Struct, path: string, old?: Struct): readonly FieldError[] {
  const { storageClassName, volumeMode } = spec;
  return [
    ...((spec.accessModes ?? []).length > 0 ? [] : [required(`${path}.accessModes`, 'at least 1 access mode is required')]),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...validateAccessModes(spec.accessModes ?? [], `${path}.accessModes`),
    ...validateStorage(spec.resources?.requests?.storage, `${path}.resources[storage]`),
    ...(storageClassName ? invalidAs(dnsSubdomain(storageClassName), `${path}.storageClassName`, storageClassName) : []),
    ...oneOf(volumeMode, `${path}.volumeMode`, VOLUME_MODES),
    ...validateDataSources(spec, path, Boolean(old?.dataSource?.apiGroup ?? old?.dataSourceRef?.apiGroup)),
  ];
}

function validateStorage(storage: string | undefined, path: string): readonly FieldError[] {
  return storage === undefined ? [required(path)] : validatePositive(storage, path);
}

/** The claim's first content: `dataSource` is the older way to name it, and says the same where both are there. */
function validateDataSources({ dataSource, dataSourceRef }: Struct, path: string, anyGroup: boolean): readonly FieldError[] {
  const errors = [
    ...(dataSource === undefined ? [] : validateDataSource(dataSource, `${path}.dataSource`, anyGroup)),
    ...(dataSourceRef === undefined ? [] : validateDataSource(dataSourceRef, `${path}.dataSourceRef`, anyGroup)),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  if (dataSourceRef.namespace)
    errors.push(invalidShown(path, goPath('dataSource'), 'may not be specified when dataSourceRef.namespace is specified'));
  else if (['apiGroup', 'kind', 'name'].some((member) => dataSource[member] !== dataSourceRef[member]))
    errors.push(invalidShown(path, goPath('dataSource'), 'must match dataSourceRef'));
  return errors;
}

function validateDataSource({ name, kind = '', apiGroup, namespace }: Struct, path: string, anyGroup: boolean): readonly FieldError[] {
  return [
    ...needed(name, `${path}.name`),
    ...needed(kind, `${path}.kind`),
    ...(!apiGroup && kind !== CLAIM ? [invalid(path, kind, `must be '${CLAIM}' when referencing the default apiGroup`)] : []),
    ...(apiGroup && !anyGroup ? invalidAs(dnsSubdomain(apiGroup), `${path}.apiGroup`, apiGroup) : []),
    ...(namespace ? invalidAs(dnsLabel(namespace), `${path}.namespace`, namespace) : []),
  ];
}

/** A template gives its claims nothing but labels, annotations and a spec. */
export function claimTemplate({ metadata = {}, spec }: PersistentVolumeClaimTemplate): readonly FieldError[] {
  return [...validateTemplateMetadata(metadata as Partial<ObjectMeta>, '.metadata'), ...validateClaimSpec(spec ?? {}, '.spec')];
}
