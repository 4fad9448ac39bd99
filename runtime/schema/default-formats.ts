/** Values that are made of the text of another member. */
import type { DefaultFormat } from '../contract/default-rule.ts';
import { imageVersion } from './image-references.ts';

export const makeDefault: Readonly<Record<DefaultFormat, (text: string) => string>> = {
  imagePullPolicy,
  listKind: (kind) => `${kind}List`,
  lowerCase: (text) => text.toLowerCase(),
};

/** A tag that moves must be looked up whenever a container starts. */
function imagePullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageVersion(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent';
}
