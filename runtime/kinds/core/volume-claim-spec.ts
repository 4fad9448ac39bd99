/** Specs of claims on persistent volumes, those of the claims that pods make for themselves among them. */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { goPath, invalidShown } from '../../go-text/values.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import { validateTemplateMetadata } from '../metadata/template-metadata.ts';
import type { Struct } from '../struct.ts';
import { invalidAs, needed, oneOf } from './findings.ts';
import { validatePositive } from './quantities.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];
const CLAIM = 'PersistentVolumeClaim';

/** All errors stand at the path of the list. */
export function validateAccessModes(modes: readonly string[] | null | undefined, path: string): readonly FieldError[] {
  const given = modes ?? [];
  const known = given.filter((mode) => ACCESS_MODES.includes(mode));
  return [
    ...given.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES)),
    ...(known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')
      ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}

/** @param old the spec before, absent of a new claim: what is named in a group once may be named in any */
export function validateClaimSpec(spec: Struct, path: string, old?: Struct): readonly FieldError[] {
  const { storageClassName, volumeMode } = spec;
  return [
    ...((spec.accessModes ?? []).length > 0 ? [] : [required(`${path}.accessModes`, 'at least 1 access mode is required')]),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...validateAccessModes(spec.accessModes, `${path}.accessModes`),
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

/** Of a template that gives its claims nothing but labels, annotations and a spec. */
export function validateClaimTemplate({ metadata = {}, spec }: Struct, path: string): readonly FieldError[] {
  return [...validateTemplateMetadata(metadata, `${path}.metadata`), ...validateClaimSpec(spec ?? {}, `${path}.spec`)];
}
