const NODE_GROUP = 'system:nodes';
const NODE_USER = 'system:node:';

/** The name of the node whose agent the user is; '' for an agent that does not tell its node; undefined for other users. */
export function nodeOf({ name, groups }: { readonly name: string; readonly groups: readonly string[] }): string | undefined {
  return name.startsWith(NODE_USER) && groups.includes(NODE_GROUP) ? name.slice(NODE_USER.length) : undefined;
}

export function nodeUserName(node: string): string {
  return NODE_USER + node;
}
