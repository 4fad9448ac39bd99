import type { AccessAttributes } from '../../runtime/authorization/authorizer.ts';
import type { User } from '../../runtime/contract/request-context.ts';

export function user(name: string, ...groups: string[]): User {
  return { name, uid: '', groups, extra: {} };
}

const NOTHING = { path: '', group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };

/** A question about a resource in short form: `get apps/deployments/scale name in namespace`; the core group has no name, as in `list pods`. */
export function action(who: User, text: string): AccessAttributes {
  const [, verb = '', group = '', resource = '', subresource = '', name = '', namespace = ''] =
    /^(\S+) (?:([\w.*-]*):)?([^/\s]+)(?:\/(\S+))?(?: (?!in )(\S+))?(?: in (\S+))?$/.exec(text) ?? [];
  if (verb === '') throw new Error(`no action: ${text}`);
  return { ...NOTHING, user: who, isResource: true, verb, group, version: 'v1', resource, subresource, name, namespace };
}

/** A question about a path: `get /healthz`. */
export function path(who: User, text: string): AccessAttributes {
  const [verb = '', on = ''] = text.split(' ');
  return { ...NOTHING, user: who, isResource: false, verb, path: on };
}
