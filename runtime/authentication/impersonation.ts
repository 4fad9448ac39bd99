/** Impersonation (see specification): a request acts as another user. Each part of that identity needs a right of its own. */
import type { IncomingMessage } from 'node:http';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.ts';
import { forbiddenBy } from '../authorization/forbidden.ts';
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import { newBadRequest } from '../status/status.ts';
import { ANONYMOUS, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from './identities.ts';
import { decodedKey, headersWithPrefix, headerValues, removeHeaders } from './request-headers.ts';
import { serviceAccountGroups, splitServiceAccountUserName } from './service-account-names.ts';

const PREFIX = 'impersonate-';
const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA_PREFIX = 'impersonate-extra-';

/** The identity that a request's headers ask for. */
interface Wanted {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * @param requester the authenticated user
 * @param text resolves identity placeholders
 * @param waiting whoever waits while authorizers ask other services
 * @returns the user that the request acts as from here on, and then its headers are removed; undefined if it does not impersonate
 * @throws StatusError Forbidden if the requester may not act so; BadRequest for headers of groups or the like without a user
 */
export async function impersonatedUser(
  request: IncomingMessage,
  requester: User,
  authorizer: Authorizer,
  text: (template: string) => string,
  waiting?: Waiting,
): Promise<User | undefined> {
  const wanted = wantedOf(request.rawHeaders);
  if (wanted === undefined) return undefined;
  for (const right of rightsFor(wanted, text)) {
    const attributes: AccessAttributes = { user: requester, ...right };
    const decision = await authorizer.authorize(attributes, waiting);
    if (decision.decision !== 'allow') throw forbiddenBy(attributes, decision);
  }
  removeHeaders(request, (name) => name === USER || name === GROUP || name === UID || name.startsWith(EXTRA_PREFIX));
  return { name: wanted.user, uid: wanted.uid, groups: groupsOf(wanted), extra: Object.fromEntries(wanted.extra) };
}

/** Must be cheap for requests without such headers, because nearly all have none. */
export function wantsImpersonation({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length > PREFIX.length && (name[0] === 'I' || name[0] === 'i') && name.toLowerCase().startsWith(PREFIX)) return true;
  }
  return false;
}

function wantedOf(rawHeaders: readonly string[]): Wanted | undefined {
  const [user = ''] = headerValues(rawHeaders, USER);
  const groups = headerValues(rawHeaders, GROUP);
  const [uid = ''] = headerValues(rawHeaders, UID);
  const extra = new Map<string, string[]>();
  for (const [rest, values] of headersWithPrefix(rawHeaders, EXTRA_PREFIX)) {
    const key = decodedKey(rest);
    extra.set(key, [...(extra.get(key) ?? []), ...values]);
  }
  if (user !== '') return { user, groups, uid, extra };
  if (groups.length > 0 || uid !== '' || extra.size > 0)
    throw newBadRequest('groups, a uid or extra information cannot be impersonated without a user: Impersonate-User is missing');
  return undefined;
}

type Right = Omit<AccessAttributes, 'user'>;

function* rightsFor({ user, groups, uid, extra }: Wanted, text: (template: string) => string): Generator<Right> {
  const core: Right = {
    isResource: true,
    verb: 'impersonate',
    path: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
  };
  const account = splitServiceAccountUserName(user);
  if (account === undefined) yield { ...core, resource: 'users', name: user };
  else yield { ...core, resource: 'serviceaccounts', ...account };
  for (const group of groups) yield { ...core, resource: 'groups', name: group };
  const authentication: Right = { ...core, group: text('authentication.${groupDomain}'), version: 'v1' };
  for (const [key, values] of extra)
    for (const value of values) yield { ...authentication, resource: 'userextras', subresource: key, name: value };
  if (uid !== '') yield { ...authentication, resource: 'uids', name: uid };
}

/** The given groups; without any, a service account has its own ones. The group of authenticated users is added (for the anonymous user, of unauthenticated ones), unless a group says so already. */
function groupsOf({ user, groups: given }: Wanted): string[] {
  const account = splitServiceAccountUserName(user);
  const groups = given.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : [...given];
  const isAnonymous = user === ANONYMOUS.name;
  const decided = groups.includes(UNAUTHENTICATED_GROUP) || (!isAnonymous && groups.includes(AUTHENTICATED_GROUP));
  return decided ? groups : [...groups, isAnonymous ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP];
}
