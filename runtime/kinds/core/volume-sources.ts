/** Kinds of volumes that pods and persistent volumes share; each check gets the source and its path. */
import { type FieldError, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { inclusiveRange, isLongerThan } from '../../formats/messages.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { pathWithoutBacksteps } from '../../formats/paths.ts';
import type { Struct } from '../struct.ts';
import { invalidAs, needed, neededAs, oneOf } from './findings.ts';
import { inRange } from './numbers.ts';

export type SourceCheck = (source: Struct, path: string) => FieldError[];

/** Members that must not be empty, in the order in which they are reported. */
export const needs =
  (...members: readonly string[]): SourceCheck =>
  (source, path) =>
    members.flatMap((member) => needed(source[member], `${path}.${member}`));

export const neededReference = (reference: Struct, path: string, ...members: readonly string[]): FieldError[] =>
  reference === undefined ? [] : needs(...members)(reference, path);

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

export function validateHostPath({ path: target, type }: Struct, path: string): FieldError[] {
  if (!target) return [required(`${path}.path`)];
  return [...invalidAs(pathWithoutBacksteps(target), `${path}.path`, target), ...oneOf(type, `${path}.type`, HOST_PATH_TYPES)];
}

function validatePartition(partition: number | undefined, path: string): FieldError[] {
  const number = partition ?? 0;
  return number < 0 || number > 255 ? [invalid(`${path}.partition`, number, inclusiveRange(1, 255))] : [];
}

export const validateGcePersistentDisk: SourceCheck = (disk, path) => [
  ...needed(disk.pdName, `${path}.pdName`),
  ...validatePartition(disk.partition, path),
];

export const validateAwsElasticBlockStore: SourceCheck = (disk, path) => [
  ...needed(disk.volumeID, `${path}.volumeID`),
  ...validatePartition(disk.partition, path),
];

export const validateNfs: SourceCheck = (nfs, path) => [
  ...needs('server', 'path')(nfs, path),
  ...((nfs.path ?? '').startsWith('/') ? [] : [invalid(`${path}.path`, nfs.path ?? '', 'must be an absolute path')]),
];

export function validateFlocker({ datasetName, datasetUUID }: Struct, path: string): FieldError[] {
  return [
    ...(datasetName || datasetUUID ? [] : [required(path, 'one of datasetName and datasetUUID is required')]),
    ...(datasetName && datasetUUID ? [invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')] : []),
    ...(datasetName?.includes('/') ? [invalid(`${path}.datasetName`, datasetName, "must not contain '/'")] : []),
  ];
}

const LUN_LIMIT = 255;

export function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${path}.targetWWNs`;
  if (targetWWNs.length === 0 && wwids.length === 0) errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length === 0) return errors;
  if (wwids.length > 0) errors.push(invalid(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  return [...errors, ...inRange(lun, `${path}.lun`, 0, LUN_LIMIT)];
}

const QUALIFIED_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** @param unknown what is said of a name that begins like none of the formats */
function validateQualifiedName(name: string, path: string, unknown: string): FieldError[] {
  const pattern = QUALIFIED_NAMES[name.slice(0, 3)];
  if (pattern === undefined) return [invalid(path, name, unknown)];
  return pattern.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

export const ISCSI_NAMES = 'must be valid format starting with iqn, eui, or naa';
export const ISCSI_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

export const isIscsiPortalTooLong = (name: string, { initiatorName, targetPortal = '' }: Struct): boolean =>
  initiatorName !== undefined && isLongerThan(`${name}:${targetPortal}`, 64);

/** @param unknown as of `validateQualifiedName` */
export function validateIscsi(iscsi: Struct, path: string, unknown: string): FieldError[] {
  const { iqn, initiatorName, lun, secretRef } = iscsi;
  const authenticates = iscsi.chapAuthDiscovery === true || iscsi.chapAuthSession === true;
  return [
    ...needed(iqn, `${path}.iqn`),
    ...(iqn ? validateQualifiedName(iqn, `${path}.iqn`, unknown) : []),
    ...inRange(lun ?? 0, `${path}.lun`, 0, LUN_LIMIT),
    ...(authenticates && secretRef === undefined ? [required(`${path}.secretRef`)] : []),
    ...(initiatorName === undefined ? [] : validateQualifiedName(initiatorName, `${path}.initiatorname`, unknown)),
  ];
}

const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';

export function validateQuobyte({ registry, tenant = '', volume }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!registry) errors.push(required(`${path}.registry`, REGISTRY));
  else if (tenant.length >= 65) errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair)) errors.push(invalid(`${path}.registry`, registry, REGISTRY));
  return [...errors, ...needed(volume, `${path}.volume`)];
}

/** Options with names of the project's own domains are for the project. */
export function validateFlexVolume({ driver, options }: Struct, path: string, context: RuleContext): FieldError[] {
  const reserved = [context.text('.${labelDomain}'), context.text('.${groupDomain}')];
  return [
    ...needed(driver, `${path}.driver`),
    ...Object.keys(options ?? {})
      .filter((option) => reserved.some((domain) => `.${(option.split('/', 1)[0] as string).toLowerCase()}`.endsWith(domain)))
      .map((option) =>
        invalid(`${path}.options[${option}]`, option, context.text('${labelDomain} and ${groupDomain} namespaces are reserved')),
      ),
  ];
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk({ diskName, diskURI = '', cachingMode, kind }: Struct, path: string): FieldError[] {
  const uri = (example: string, start: string): FieldError[] =>
    diskURI.startsWith(start) ? [] : [notSupported(`${path}.diskURI`, diskURI, [example])];
  return [
    ...needed(diskName, `${path}.diskName`),
    ...needed(diskURI, `${path}.diskURI`),
    ...oneOf(cachingMode, `${path}.cachingMode`, CACHING_MODES),
    ...oneOf(kind, `${path}.kind`, DISK_KINDS),
    ...(kind === 'Managed' ? uri(MANAGED_URI, '/subscriptions/') : []),
    ...(kind !== undefined && kind !== 'Managed' ? uri(BLOB_URI, 'https://') : []),
  ];
}

/** @param reference members of the reference to a secret that must be there */
export function validateStorageOs(volume: Struct, path: string, ...reference: readonly string[]): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = volume;
  return [
    ...neededAs(volumeName, `${path}.volumeName`, dnsLabel),
    ...(volumeNamespace ? invalidAs(dnsLabel(volumeNamespace), `${path}.volumeNamespace`, volumeNamespace) : []),
    ...neededReference(secretRef, `${path}.secretRef`, ...reference),
  ];
}

const DRIVER_LENGTH = 63;

export function validateCsiDriverName(driver: string | undefined, path: string): FieldError[] {
  const name = driver ?? '';
  return [
    ...needed(name, path),
    ...(isLongerThan(name, DRIVER_LENGTH) ? [tooLong(path, DRIVER_LENGTH)] : []),
    ...invalidAs(dnsSubdomain(name.toLowerCase()), path, name),
  ];
}
