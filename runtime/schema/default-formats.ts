/** Values that are made of the text of another member. */
import type { DefaultFormat } from '../contract/default-rule.ts';
import { imageVersion } from './image-references.ts';

/** Names of images whose policies are remembered, and their greatest length: pods of one sort have the same images. */
const MAX_KNOWN = 256;
const MAX_LENGTH = 256;

export const makeDefault: Readonly<Record<DefaultFormat, (text: string) => string>> = {
  imagePullPolicy,
  listKind: (kind) => `${kind}List`,
  lowerCase: (text) => text.toLowerCase(),
};

type PullPolicy = 'Always' | 'IfNotPresent';

const knownPolicies = new Map<string, PullPolicy>();

/** A tag that moves must be looked up whenever a container starts. */
function imagePullPolicy(image: string): PullPolicy {
  const known = knownPolicies.get(image);
  if (known !== undefined) return known;
  const policy = imageVersion(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent';
  if (image.length > MAX_LENGTH) return policy;
  if (knownPolicies.size === MAX_KNOWN) knownPolicies.clear();
  knownPolicies.set(image, policy);
  return policy;
}
