/** Other objects that pods and persistent volumes name: what a node must see to run them. */

import type {
  EnvFromSource,
  EnvVarSource,
  EphemeralContainerCommon,
  PersistentVolumeSpec,
  PodSpec,
  PodStatus,
  SecretReference,
  Volume,
} from '../../../../generated/core/v1/types.ts';

/** What tells of other objects. */
interface PodParts {
  readonly metadata?: { readonly name?: string };
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * Names of objects, each as often as a pod has it, and undefined where another part of the pod was looked at: of a long one whoever asks may rest there.
 */
export type References = Generator<string | undefined, void, void>;

/** The names, each once. */
export const namesOf = (references: References): Set<string> => new Set(references.filter((name) => name !== undefined));

export const hasReferences = (references: References): boolean => references.some((name) => name !== undefined);

export function* podSecrets({ spec }: PodParts): References {
  for (const { name } of spec?.imagePullSecrets ?? []) yield name || undefined;
  for (const { environment, sources } of environments(spec)) {
    for (const { secretKeyRef } of environment) yield secretKeyRef?.name || undefined;
    for (const { secretRef } of sources) yield secretRef?.name || undefined;
  }
  for (const volume of spec?.volumes ?? []) {
    yield volume.secret?.secretName || undefined;
    for (const source of volume.projected?.sources ?? []) yield source.secret?.name || undefined;
    for (const { name } of volumeSecrets(volume)) yield name;
  }
}

export function* podConfigMaps({ spec }: PodParts): References {
  for (const { environment, sources } of environments(spec)) {
    for (const { configMapKeyRef } of environment) yield configMapKeyRef?.name || undefined;
    for (const { configMapRef } of sources) yield configMapRef?.name || undefined;
  }
  for (const volume of spec?.volumes ?? []) {
    yield volume.configMap?.name || undefined;
    for (const source of volume.projected?.sources ?? []) yield source.configMap?.name || undefined;
  }
}

/** Claims on volumes, those that volumes of the pod alone are made with included. */
export function* podVolumeClaims({ metadata, spec }: PodParts): References {
  for (const volume of spec?.volumes ?? []) yield claimOf(volume, metadata?.name);
}

/** @param pod its name. @returns the name of the claim behind a volume of the pod; undefined for a volume without a claim */
export const claimOf = ({ name, persistentVolumeClaim, ephemeral }: Volume, pod: string | undefined): string | undefined =>
  persistentVolumeClaim?.claimName || (ephemeral && `${pod}-${name}`);

/** Claims on devices; one that is made from a template has its name in the status. */
export function* podResourceClaims({ spec, status }: PodParts): References {
  const made = new Map<string, string | undefined>();
  for (const { name, resourceClaimName } of status?.resourceClaimStatuses ?? []) {
    made.set(name, resourceClaimName);
    yield undefined;
  }
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec?.resourceClaims ?? []) {
    yield resourceClaimName || undefined;
    if (resourceClaimTemplateName !== undefined) yield made.get(name) || undefined;
  }
}

/** Secrets that a node needs for a persistent volume; those of no namespace are in that of the claim. */
export function persistentVolumeSecrets({ spec }: { readonly spec?: PersistentVolumeSpec }): { namespace: string; name: string }[] {
  const claimed = spec?.claimRef?.namespace ?? '';
  return Array.from(volumeSecrets(spec ?? {}), ({ name, namespace }) => ({ name, namespace: namespace || claimed }));
}

/** Volume plugins that name a secret in `secretRef`, in pods and persistent volumes alike. */
const WITH_SECRET_REFERENCE = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;
/** Secrets of CSI volumes that nodes use; the others are for controllers. */
const CSI_NODE_SECRETS = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const;

function* volumeSecrets(volume: SecretHolder): Generator<{ name: string; namespace?: string }> {
  for (const plugin of WITH_SECRET_REFERENCE) {
    const reference = volume[plugin]?.secretRef;
    if (reference?.name) yield { ...reference, name: reference.name };
  }
  for (const member of CSI_NODE_SECRETS) {
    const reference = volume.csi?.[member];
    if (reference?.name) yield { ...reference, name: reference.name };
  }
  const { secretName, secretNamespace } = volume.azureFile ?? {};
  if (secretName) yield { name: secretName, ...(secretNamespace && { namespace: secretNamespace }) };
}

/** A volume of a pod, or the spec of a persistent one. */
type SecretHolder = {
  readonly [Plugin in (typeof WITH_SECRET_REFERENCE)[number]]?: { readonly secretRef?: SecretReference | null };
} & {
  readonly csi?: { readonly [Member in (typeof CSI_NODE_SECRETS)[number]]?: SecretReference };
  readonly azureFile?: { readonly secretName: string; readonly secretNamespace?: string | null };
};

/** Of each container: where variables have their values from, and objects whose keys all become variables. */
function* environments(spec: PodSpec | undefined): Generator<{ environment: EnvVarSource[]; sources: EnvFromSource[] }> {
  for (const member of CONTAINERS) {
    const containers: readonly EphemeralContainerCommon[] = spec?.[member] ?? [];
    for (const { env, envFrom } of containers)
      yield { environment: (env ?? []).flatMap(({ valueFrom }) => valueFrom ?? []), sources: envFrom ?? [] };
  }
}
