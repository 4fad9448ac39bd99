/** What schemas do not say of the sources of volumes, which pods and persistent volumes share. */
import type { AzureDiskVolumeSource, PersistentVolume, Volume } from '../../../../generated/core/v1/types.ts';
import { type FieldError, notSupported, tooLong } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { isLongerThan } from '../../../formats/messages.ts';
import { dnsSubdomainOfAnyCase } from '../../../formats/names.ts';
import { NONE } from '../../../validation/joined.ts';
import { invalidAs, needed } from '../../findings.ts';

const CONNECTION_LENGTH = 64;

type Of<T> = (value: string, old: unknown, context: RuleContext, scope: unknown, holder: T) => boolean;

/** The initiator names a connection after the volume and the portal. */
export const fitsPortal: Of<Volume> = (name, _old, _context, _scope, { iscsi }) =>
  iscsi?.initiatorName === undefined || !isLongerThan(`${name}:${iscsi.targetPortal}`, CONNECTION_LENGTH);

/** As `fitsPortal`, of a volume that is an object. */
export const fitsVolume: Of<PersistentVolume> = (portal, _old, _context, _scope, { metadata, spec }) =>
  spec?.iscsi?.initiatorName === undefined || !isLongerThan(`${metadata?.name ?? ''}:${portal}`, CONNECTION_LENGTH);

/** Options with names of the project's own domains are for the project. */
export function isFree(option: string, _old: unknown, context: RuleContext): boolean {
  const domain = `.${(option.split('/', 1)[0] as string).toLowerCase()}`;
  return !domain.endsWith(context.text('.${labelDomain}')) && !domain.endsWith(context.text('.${groupDomain}'));
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
