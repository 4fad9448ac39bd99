const NODE_GROUP = 'system:nodes';
const NODE_USER = 'system:node:';

/** The node whose agent a user is; '' for a node agent that does not say which, undefined for everybody else. */
export function nodeOf({ name, groups }: { readonly name: string; readonly groups: readonly string[] }): string | undefined {
  return name.startsWith(NODE_USER) && groups.includes(NODE_GROUP) ? name.slice(NODE_USER.length) : undefined;
}

export function nodeUserName(node: string): string {
  return NODE_USER + node;
}
