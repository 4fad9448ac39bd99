/** The source of a persistent volume: most are those of pods' volumes, with references into other namespaces. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { pathWithoutBacksteps } from '../../formats/paths.ts';
import type { Struct } from '../struct.ts';
import { invalidAs, needed, neededAs } from './findings.ts';
import {
  ISCSI_TOO_LONG,
  isIscsiPortalTooLong,
  neededReference,
  needs,
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateCsiDriverName,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateHostPath,
  validateIscsi,
  validateNfs,
  validateQuobyte,
  validateStorageOs,
} from './volume-sources.ts';
import { validateCephFs, validateRbd } from './volumes.ts';

interface SourceScope {
  /** of the persistent volume */
  readonly name: string;
  readonly spec: Struct;
  readonly context: RuleContext;
}

type Check = (source: Struct, path: string, scope: SourceScope) => readonly FieldError[];

/** In the order in which a second source is found to be one too many. */
const SOURCES: Readonly<Record<string, Check>> = {
  hostPath: validateHostPath,
  gcePersistentDisk: validateGcePersistentDisk,
  awsElasticBlockStore: validateAwsElasticBlockStore,
  glusterfs: validateGlusterfs,
  flocker: validateFlocker,
  nfs: validateNfs,
  rbd: validateRbd,
  quobyte: validateQuobyte,
  cephfs: validateCephFs,
  iscsi: validateIscsiVolume,
  cinder: (source, path) => [
    ...needed(source.volumeID, `${path}.volumeID`),
    ...neededReference(source.secretRef, `${path}.secretRef`, 'name', 'namespace'),
  ],
  fc: validateFibreChannel,
  flexVolume: (source, path, { context }) => validateFlexVolume(source, path, context),
  azureFile: (source, path) => [
    ...needs('secretName', 'shareName')(source, path),
    ...(source.secretNamespace === '' ? [required(`${path}.secretNamespace`)] : []),
  ],
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  local: validateLocal,
  storageos: (source, path) => validateStorageOs(source, path, 'name', 'namespace'),
  csi: validateCsi,
};

/** All members that may be the source. */
export const SOURCE_MEMBERS: readonly string[] = Object.keys(SOURCES);

/** Sources that 1.32 names otherwise in paths: what is wrong in them, and that they are one too many. */
const CHECK_NAMES: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
const EXCESS_NAMES: Readonly<Record<string, string>> = { cephfs: 'cephFS' };

export function validateVolumeSource(spec: Struct, path: string, name: string, context: RuleContext): readonly FieldError[] {
  const [first, ...others] = SOURCE_MEMBERS.filter((source) => spec[source] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const check = SOURCES[first] as Check;
  return [
    ...check(spec[first], `${path}.${CHECK_NAMES[first] ?? first}`, { name, spec, context }),
    ...others.map((source) => forbidden(`${path}.${EXCESS_NAMES[source] ?? source}`, 'may not specify more than 1 volume type')),
  ];
}

function validateGlusterfs(source: Struct, path: string): readonly FieldError[] {
  const { endpointsNamespace: namespace } = source;
  const at = `${path}.endpointsNamespace`;
  const errors = needs('endpoints', 'path')(source, path);
  if (namespace === undefined) return errors;
  if (namespace === '') return [...errors, invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name')];
  return [...errors, ...invalidAs(dnsLabel(namespace), at, namespace)];
}

function validateIscsiVolume(source: Struct, path: string, { name }: SourceScope): readonly FieldError[] {
  return [
    ...needed(source.targetPortal, `${path}.targetPortal`),
    ...(isIscsiPortalTooLong(name, source) ? [invalid(`${path}.targetportal`, source.targetPortal, ISCSI_TOO_LONG)] : []),
    ...validateIscsi(source, path, 'must be valid format'),
    ...neededReference(source.secretRef, `${path}.secretRef`, 'name'),
  ];
}

/** A disk of one node can only be used there. */
function validateLocal({ path: target }: Struct, path: string, { spec }: SourceScope): readonly FieldError[] {
  return [
    ...(target ? invalidAs(pathWithoutBacksteps(target), `${path}.path`, target) : [required(`${path}.path`)]),
    ...(spec.nodeAffinity === undefined
      ? [required(`${path.slice(0, path.lastIndexOf('.'))}.nodeAffinity`, 'Local volume requires node affinity')]
      : []),
  ];
}

const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'];

function validateCsi(source: Struct, path: string): readonly FieldError[] {
  return [
    ...validateCsiDriverName(source.driver, `${path}.driver`),
    ...needed(source.volumeHandle, `${path}.volumeHandle`),
    ...CSI_SECRETS.filter((member) => source[member] !== undefined).flatMap((member) => [
      ...neededAs(source[member].name, `${path}.${member}.name`, dnsSubdomain),
      ...neededAs(source[member].namespace, `${path}.${member}.namespace`, dnsLabel),
    ]),
  ];
}
