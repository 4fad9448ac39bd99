/** Defaults of pods' specs that depend on other members. Those that stand by themselves are declared in the schema. */
import { imageVersion } from '../../formats/image-references.ts';
import type { Struct } from '../struct.ts';

/** Of the template of any kind that makes pods. @param template absent where the object has none; changed */
export function defaultPodTemplate(template: Struct): void {
  if (template?.spec) defaultPodSpec(template.spec);
}

/** Of the spec of a pod or of a template. @param spec changed */
export function defaultPodSpec(spec: Struct): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const container of spec[list] ?? [])
      if (!container.imagePullPolicy) container.imagePullPolicy = pullPolicyOf(container.image ?? '');
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  // Two names of one field.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  } else {
    delete spec.serviceAccount;
  }
}

/** A volume that says nothing of where its files come from begins empty. */
function defaultVolume(volume: Struct): void {
  if (Object.keys(volume).every((member) => member === 'name')) volume.emptyDir = {};
  const { image } = volume;
  if (image !== undefined && !image.pullPolicy) image.pullPolicy = pullPolicyOf(image.reference ?? '');
}

/** A tag that moves must be looked up whenever a container starts. */
function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return imageVersion(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent';
}
