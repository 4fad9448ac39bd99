/** Other objects that pods and persistent volumes name: what a node must see to run them. */

import type {
  EnvFromSource,
  EnvVarSource,
  EphemeralContainerCommon,
  PersistentVolumeSpec,
  PodSpec,
  PodStatus,
  SecretReference,
} from '../../../generated/core/v1/types.ts';

/** What tells of other objects. */
interface PodParts {
  readonly metadata?: { readonly name?: string };
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function podSecrets({ spec }: PodParts): Set<string> {
  const names = new Set<string>();
  for (const { name } of spec?.imagePullSecrets ?? []) add(names, name);
  for (const { environment, sources } of environments(spec)) {
    for (const { secretKeyRef } of environment) add(names, secretKeyRef?.name);
    for (const { secretRef } of sources) add(names, secretRef?.name);
  }
  for (const volume of spec?.volumes ?? []) {
    add(names, volume.secret?.secretName);
    for (const source of volume.projected?.sources ?? []) add(names, source.secret?.name);
    for (const { name } of volumeSecrets(volume)) add(names, name);
  }
  return names;
}

export function podConfigMaps({ spec }: PodParts): Set<string> {
  const names = new Set<string>();
  for (const { environment, sources } of environments(spec)) {
    for (const { configMapKeyRef } of environment) add(names, configMapKeyRef?.name);
    for (const { configMapRef } of sources) add(names, configMapRef?.name);
  }
  for (const volume of spec?.volumes ?? []) {
    add(names, volume.configMap?.name);
    for (const source of volume.projected?.sources ?? []) add(names, source.configMap?.name);
  }
  return names;
}

/** Claims on volumes, those that volumes of the pod alone are made with included. */
export function podVolumeClaims({ metadata, spec }: PodParts): Set<string> {
  const names = new Set<string>();
  for (const volume of spec?.volumes ?? []) {
    add(names, volume.persistentVolumeClaim?.claimName);
    if (volume.ephemeral !== undefined) add(names, `${metadata?.name}-${volume.name}`);
  }
  return names;
}

/** Claims on devices; one that is made from a template has its name in the status. */
export function podResourceClaims({ spec, status }: PodParts): Set<string> {
  const names = new Set<string>();
  const made = new Map((status?.resourceClaimStatuses ?? []).map((each) => [each.name, each.resourceClaimName]));
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec?.resourceClaims ?? []) {
    add(names, resourceClaimName);
    if (resourceClaimTemplateName !== undefined) add(names, made.get(name));
  }
  return names;
}

/** Secrets that a node needs for a persistent volume; those of no namespace are in that of the claim. */
export function persistentVolumeSecrets({ spec }: { readonly spec?: PersistentVolumeSpec }): { namespace: string; name: string }[] {
  const claimed = spec?.claimRef?.namespace ?? '';
  return volumeSecrets(spec ?? {}).map(({ name, namespace }) => ({ name, namespace: namespace || claimed }));
}

/** Volume plugins that name a secret in `secretRef`, in pods and persistent volumes alike. */
const WITH_SECRET_REFERENCE = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;
/** Secrets of CSI volumes that nodes use; the others are for controllers. */
const CSI_NODE_SECRETS = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const;

function volumeSecrets(volume: SecretHolder): { name: string; namespace?: string }[] {
  const references: (SecretReference | null | undefined)[] = [
    ...WITH_SECRET_REFERENCE.map((plugin) => volume[plugin]?.secretRef),
    ...CSI_NODE_SECRETS.map((member) => volume.csi?.[member]),
  ];
  const { secretName, secretNamespace } = volume.azureFile ?? {};
  if (secretName) references.push({ name: secretName, ...(secretNamespace && { namespace: secretNamespace }) });
  return references.filter((reference) => reference?.name).map((reference) => reference as { name: string; namespace?: string });
}

/** A volume of a pod, or the spec of a persistent one. */
type SecretHolder = {
  readonly [Plugin in (typeof WITH_SECRET_REFERENCE)[number]]?: { readonly secretRef?: SecretReference | null };
} & {
  readonly csi?: { readonly [Member in (typeof CSI_NODE_SECRETS)[number]]?: SecretReference };
  readonly azureFile?: { readonly secretName: string; readonly secretNamespace?: string | null };
};

/** Of each container: where variables have their values from, and objects whose keys all become variables. */
function environments(spec: PodSpec | undefined): { environment: EnvVarSource[]; sources: EnvFromSource[] }[] {
  return CONTAINERS.flatMap((member): readonly EphemeralContainerCommon[] => spec?.[member] ?? []).map(({ env, envFrom }) => ({
    environment: (env ?? []).flatMap(({ valueFrom }) => valueFrom ?? []),
    sources: envFrom ?? [],
  }));
}

function add(names: Set<string>, name: string | undefined): void {
  if (name) names.add(name);
}
