/** Values that are made of the text of another member. */
import type { DefaultFormat } from '../contract/default-rule.ts';

export const makeDefault: Readonly<Record<DefaultFormat, (text: string) => string>> = {
  imagePullPolicy,
  listKind: (kind) => `${kind}List`,
  lowerCase: (text) => text.toLowerCase(),
};

/** A tag that moves must be looked up whenever a container starts; an image without tag and digest has the tag `latest`. */
function imagePullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const digest = image.indexOf('@');
  const name = digest === -1 ? image : image.slice(0, digest);
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  if (colon === -1) return digest === -1 ? 'Always' : 'IfNotPresent';
  return name.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}
