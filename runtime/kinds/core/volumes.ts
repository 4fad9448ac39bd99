/** The volumes of a pod: each has a name of its own and one source. */

import { duplicate, type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { relativePath } from '../../formats/paths.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import type { Volumes } from './container-mounts.ts';
import { PULL_POLICIES } from './containers.ts';
import { eachItem, invalidAs, needed, neededAs, neededOneOf } from './findings.ts';
import type { PodScope } from './pod-scope.ts';
import { validateDownwardVolume, validateKeysVolume, validateProjectedVolume } from './projected-volumes.ts';
import { signOf } from './quantities.ts';
import { validateClaimTemplate } from './volume-claim-spec.ts';
import {
  ISCSI_NAMES,
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

/** `path` is that of the source, `volumePath` that of the volume. */
type Check = (source: Struct, path: string, volume: Struct, volumePath: string, scope: PodScope) => readonly FieldError[];

/** In the order in which a second source is found to be one too many. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: ({ sizeLimit }, path) =>
    sizeLimit !== undefined && signOf(sizeLimit) < 0
      ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : [],
  hostPath: validateHostPath,
  gitRepo: validateGitRepository,
  gcePersistentDisk: validateGcePersistentDisk,
  awsElasticBlockStore: validateAwsElasticBlockStore,
  secret: (source, path) => validateKeysVolume(source, 'secretName', path),
  nfs: validateNfs,
  iscsi: (source, path, { name = '' }, volumePath) => [
    ...needed(source.targetPortal, `${path}.targetPortal`),
    ...validateIscsi(source, path, ISCSI_NAMES),
    ...(isIscsiPortalTooLong(name, source) ? [invalid(`${volumePath}.name`, name, ISCSI_TOO_LONG)] : []),
  ],
  glusterfs: needs('endpoints', 'path'),
  flocker: validateFlocker,
  persistentVolumeClaim: needs('claimName'),
  rbd: validateRbd,
  cinder: (source, path) => [
    ...needed(source.volumeID, `${path}.volumeID`),
    ...neededReference(source.secretRef, `${path}.secretRef`, 'name'),
  ],
  cephfs: validateCephFs,
  quobyte: validateQuobyte,
  downwardAPI: validateDownwardVolume,
  fc: validateFibreChannel,
  flexVolume: (source, path, _volume, _volumePath, { context }) => validateFlexVolume(source, path, context),
  configMap: (source, path) => validateKeysVolume(source, 'name', path),
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: validateAzureDisk,
  storageos: (source, path) => validateStorageOs(source, path, 'name'),
  projected: validateProjectedVolume,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi: validateCsi,
  ephemeral: validateEphemeral,
  image: validateImage,
};

/** Sources that 1.32 names otherwise in paths: what is wrong in them, and that they are one too many. */
const CHECK_NAMES: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
const EXCESS_NAMES: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

const NO_VOLUMES: Volumes = new Map();

/** @returns what is wrong, and the volumes with which nothing is, for the containers that mount them */
export function validateVolumes(volumes: readonly Struct[] | undefined, path: string, scope: PodScope): [readonly FieldError[], Volumes] {
  if (!volumes) return [NONE, NO_VOLUMES];
  const names = new Set<string>();
  const valid = new Map<string, Struct>();
  const claims = claimsMade(volumes, scope.podName);
  const errors = eachItem(volumes, path, (volume, at) => {
    const { name = '', persistentVolumeClaim } = volume;
    const found = [...joined(validateSource(volume, at, scope), neededAs(name, `${at}.name`, dnsLabel))];
    if (names.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) {
      names.add(name);
      valid.set(name, volume);
    }
    const claim = persistentVolumeClaim?.claimName;
    if (claims.has(claim))
      found.push(
        invalid(`${at}.persistentVolumeClaim.claimName`, claim, 'must not reference a PVC that gets created for an ephemeral volume'),
      );
    return found;
  });
  return [errors, valid];
}

/** Names of the claims that ephemeral volumes of the pod will have. */
function claimsMade(volumes: readonly Struct[] | undefined, podName: string): ReadonlySet<string> {
  if (podName === '') return new Set();
  return new Set((volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`));
}

function validateSource(volume: Struct, path: string, scope: PodScope): readonly FieldError[] {
  const [first, ...others] = Object.keys(SOURCES).filter((source) => volume[source] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const check = SOURCES[first] as Check;
  return joined(
    check(volume[first], `${path}.${CHECK_NAMES[first] ?? first}`, volume, path, scope),
    others.map((source) => forbidden(`${path}.${EXCESS_NAMES[source] ?? source}`, 'may not specify more than 1 volume type')),
  );
}

function validateGitRepository({ repository, directory = '' }: Struct, path: string): readonly FieldError[] {
  return joined(needed(repository, `${path}.repository`), invalidAs(relativePath(directory), `${path}.directory`, directory));
}

export function validateRbd({ monitors, image }: Struct, path: string): readonly FieldError[] {
  return joined((monitors ?? []).length > 0 ? NONE : [required(`${path}.monitors`)], needed(image, `${path}.image`));
}

export function validateCephFs({ monitors }: Struct, path: string): readonly FieldError[] {
  return (monitors ?? []).length > 0 ? NONE : [required(`${path}.monitors`)];
}

function validateCsi({ driver, nodePublishSecretRef }: Struct, path: string): readonly FieldError[] {
  const errors = validateCsiDriverName(driver, `${path}.driver`);
  if (nodePublishSecretRef === undefined) return errors;
  const { name } = nodePublishSecretRef;
  return joined(errors, name ? invalidAs(dnsSubdomain(name), `${path}.name`, name) : [required(`${path}.nodePublishSecretRef.name`)]);
}

function validateEphemeral(
  source: Struct,
  path: string,
  { name }: Struct,
  volumePath: string,
  { podName }: PodScope,
): readonly FieldError[] {
  const { volumeClaimTemplate: template } = source;
  const at = `${path}.volumeClaimTemplate`;
  const errors = template === undefined ? [required(at)] : validateClaimTemplate(template, at);
  if (podName === '' || !name) return errors;
  const claim = `${podName}-${name}`;
  const messages = dnsSubdomain(claim).map((message) => `PVC name ${JSON.stringify(claim)}: ${message}`);
  return joined(errors, invalidAs(messages, `${volumePath}.name`, name));
}

function validateImage(source: Struct, path: string, _volume: Struct, _volumePath: string, { isPod }: PodScope): readonly FieldError[] {
  return joined(
    isPod ? needed(source.reference, `${path}.reference`) : NONE,
    neededOneOf(source.pullPolicy, `${path}.pullPolicy`, PULL_POLICIES),
  );
}
