/** Identifiers and tags of operations, by the rules of 1.32: client generators make their function names of them. */

export interface OperationNames {
  readonly tag: string;
  /** @param verb such as `list` @param rest such as `NamespacedDeployment`. @returns such as `listAppsV1NamespacedDeployment` */
  id(verb: string, rest: string): string;
}

/**
 * @param group empty for the core group
 * @param version absent for what a group has of its own
 * @param groupDomain that our own groups end in, which names leave out
 */
export function operationNames(group: string, version: string | undefined, groupDomain: string): OperationNames {
  const short = group === '' ? 'core' : group.endsWith(`.${groupDomain}`) ? group.slice(0, -groupDomain.length - 1) : group;
  const prefix = camelCase(short, true) + (version === undefined ? '' : camelCase(version, true));
  return {
    tag: camelCase(short, false) + (version === undefined ? '' : `_${version}`),
    id: (verb, rest) => verb + prefix + camelCase(rest, true),
  };
}

/** Leaves out what an identifier cannot have, and begins each further word with a capital letter. */
export function camelCase(text: string, capitalFirst: boolean): string {
  const words = text.split(/[^\p{L}\p{Nd}_]+/u).filter((word) => word !== '');
  return words.map((word, index) => (index > 0 || capitalFirst ? capitalized(word) : word)).join('');
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
