/** The identifiers and tags of operations by the rules of 1.32. Client generators make function names from them. */

export interface OperationNames {
  readonly tag: string;
  /** @param verb such as `list` @param rest such as `NamespacedDeployment` @returns such as `listAppsV1NamespacedDeployment` */
  id(verb: string, rest: string): string;
}

/**
 * @param group empty for the core group
 * @param version absent for operations of a whole group
 * @param groupDomain the domain of this server's groups, which names leave out
 */
export function operationNames(group: string, version: string | undefined, groupDomain: string): OperationNames {
  const short = group === '' ? 'core' : group.endsWith(`.${groupDomain}`) ? group.slice(0, -groupDomain.length - 1) : group;
  const prefix = camelCase(short, true) + (version === undefined ? '' : camelCase(version, true));
  return {
    tag: camelCase(short, false) + (version === undefined ? '' : `_${version}`),
    id: (verb, rest) => verb + prefix + camelCase(rest, true),
  };
}

/** Drops characters that identifiers cannot have, and capitalizes each word after the first. */
export function camelCase(text: string, capitalFirst: boolean): string {
  const words = text.split(/[^\p{L}\p{Nd}_]+/u).filter((word) => word !== '');
  return words.map((word, index) => (index > 0 || capitalFirst ? capitalized(word) : word)).join('');
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
