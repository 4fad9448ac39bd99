/** Makes the value of a member from the text of another one. */
import type { DefaultFormat } from '../contract/default-rule.ts';
import { imageVersion } from './image-references.ts';

/** How many names of images are remembered with their policies, and how long such a name may be. Many pods have the same images. */
const MAX_KNOWN = 256;
const MAX_LENGTH = 256;

export const makeDefault: Readonly<Record<DefaultFormat, (text: string) => string>> = {
  imagePullPolicy,
  listKind: (kind) => `${kind}List`,
  lowerCase: (text) => text.toLowerCase(),
};

type PullPolicy = 'Always' | 'IfNotPresent';

const knownPolicies = new Map<string, PullPolicy>();

/** The tag `latest` may move, so the image must be pulled whenever a container starts. */
function imagePullPolicy(image: string): PullPolicy {
  const known = knownPolicies.get(image);
  if (known !== undefined) return known;
  const policy = imageVersion(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent';
  if (image.length > MAX_LENGTH) return policy;
  if (knownPolicies.size === MAX_KNOWN) knownPolicies.clear();
  knownPolicies.set(image, policy);
  return policy;
}
