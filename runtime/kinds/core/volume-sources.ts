/** What schemas do not say of the sources of volumes, which pods and persistent volumes share. */
import type { AzureDiskVolumeSource, PersistentVolume, Volume } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, notSupported, tooLong } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsSubdomainOfAnyCase } from '../../formats/names.ts';
import { NONE } from '../joined.ts';
import { invalidAs, needed } from './findings.ts';

const PORTAL_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** The initiator names a connection after the volume and the portal. */
const isPortalTooLong = (name: string, iscsi: Volume['iscsi']): boolean =>
  iscsi?.initiatorName !== undefined && isLongerThan(`${name}:${iscsi.targetPortal}`, 64);

export function iscsiPortalOfVolume({ name, iscsi }: Volume): readonly FieldError[] {
  return isPortalTooLong(name, iscsi) ? [invalid('.name', name, PORTAL_TOO_LONG)] : NONE;
}

export function iscsiPortalOfPersistentVolume({ metadata, spec }: PersistentVolume): readonly FieldError[] {
  const iscsi = spec?.iscsi;
  if (!isPortalTooLong(metadata?.name ?? '', iscsi)) return NONE;
  return [invalid('.spec.iscsi.targetportal', iscsi?.targetPortal, PORTAL_TOO_LONG)];
}

/** Options with names of the project's own domains are for the project. */
export function reservedOption(option: string, _old: unknown, context: RuleContext): readonly FieldError[] {
  const domain = `.${(option.split('/', 1)[0] as string).toLowerCase()}`;
  const isReserved = [context.text('.${labelDomain}'), context.text('.${groupDomain}')].some((reserved) => domain.endsWith(reserved));
  return isReserved ? [invalid('', option, context.text('${labelDomain} and ${groupDomain} namespaces are reserved'))] : NONE;
}

const MANAGED_ADDRESS = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_ADDRESS = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** Disks that the cloud manages are named as resources, others as blobs. */
export function diskAddress({ kind, diskURI }: AzureDiskVolumeSource): readonly FieldError[] {
  if (kind === undefined) return NONE;
  const [start, example] = kind === 'Managed' ? ['/subscriptions/', MANAGED_ADDRESS] : ['https://', BLOB_ADDRESS];
  return diskURI.startsWith(start) ? NONE : [notSupported('.diskURI', diskURI, [example])];
}

const DRIVER_LENGTH = 63;

export function validateCsiDriverName(driver: string | undefined, path: string): FieldError[] {
  const name = driver ?? '';
  return [
    ...needed(name, path),
    ...(isLongerThan(name, DRIVER_LENGTH) ? [tooLong(path, DRIVER_LENGTH)] : []),
    ...invalidAs(dnsSubdomainOfAnyCase(name), path, name),
  ];
}
