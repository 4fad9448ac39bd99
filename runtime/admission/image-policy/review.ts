/** ImageReviews: what the webhook of ImagePolicyWebhook is asked about a pod. */
import type { EphemeralContainer, PodSpec } from '../../../generated/core/v1/types.ts';
import type { ImageReviewSpec } from '../../../generated/imagepolicy/v1alpha1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** In all names of annotations that are for the webhook, and of those that it makes. */
export const DOMAIN = 'image-policy.${groupDomain}';

/** @param attributes of a pod, or of its ephemeral containers */
export function reviewSpec({ object, subresource, namespace }: AdmissionAttributes, { text }: Pick<Identity, 'text'>): ImageReviewSpec {
  const spec = object?.spec as PodSpec;
  const reviewed: readonly Pick<EphemeralContainer, 'image'>[] =
    subresource === '' ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])] : (spec.ephemeralContainers ?? []);
  const part = `.${text(DOMAIN)}/`;
  const annotations = Object.entries(object?.metadata.annotations ?? {}).filter(([key]) => key.includes(part));
  return {
    ...(reviewed.length > 0 && { containers: reviewed.map(({ image }) => (image ? { image } : {})) }),
    // the order of the names is that of 1.32, so that the same question has the same text
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations.sort(([a], [b]) => (a < b ? -1 : 1))) }),
    ...(namespace !== '' && { namespace }),
  };
}
