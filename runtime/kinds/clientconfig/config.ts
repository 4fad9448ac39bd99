/** Client configurations. What they refer to, files among them, is looked up by whoever uses them. */
import { duplicate, type FieldError, invalid, notFound, notSupported, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { eachItem, needed, oneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const MODES = ['Always', 'IfAvailable', 'Never'];
const PROXY_SCHEMES = ['http', 'https', 'socks5'];

export function rules({ text }: Identity): KindRules {
  const credentialVersions = {
    v1: text('client.authentication.${groupDomain}/v1'),
    v1beta1: text('client.authentication.${groupDomain}/v1beta1'),
  };
  return {
    validate: (config) => [
      ...validateNamed(config.clusters, 'clusters', ({ cluster }, at) => validateCluster(cluster, `${at}.cluster`)),
      ...validateNamed(config.users, 'users', ({ user }, at) => validateUser(user, `${at}.user`, Object.values(credentialVersions))),
      ...validateNamed(config.contexts, 'contexts', ({ context }, at) => validateContext(context, `${at}.context`, config)),
      ...(config['current-context'] ? validateReference(config['current-context'], config.contexts, 'current-context') : []),
    ],
  };
}

function validateNamed(
  list: readonly Struct[] | null | undefined,
  path: string,
  validate: (item: Struct, at: string) => readonly FieldError[],
): readonly FieldError[] {
  const names = new Set<string>();
  return eachItem(list, path, (item, at) => {
    const twice = names.has(item.name);
    names.add(item.name);
    return [...needed(item.name, `${at}.name`), ...(twice ? [duplicate(`${at}.name`, item.name)] : []), ...validate(item, at)];
  });
}

function validateCluster(cluster: Struct, at: string): readonly FieldError[] {
  const proxy = cluster['proxy-url'] ? parseUrl(cluster['proxy-url']) : undefined;
  const errors = [...needed(cluster.server, `${at}.server`)];
  if (cluster['insecure-skip-tls-verify'] && (cluster['certificate-authority'] || cluster['certificate-authority-data']))
    errors.push(invalid(`${at}.insecure-skip-tls-verify`, true, 'may not be set together with an authority'));
  if (proxy === undefined) return errors;
  const path = `${at}.proxy-url`;
  if ('error' in proxy) errors.push(invalid(path, cluster['proxy-url'], proxy.error));
  else if (!PROXY_SCHEMES.includes(proxy.scheme)) errors.push(notSupported(path, proxy.scheme, PROXY_SCHEMES));
  return errors;
}

/** @param versions of credentials that programs may be told in */
function validateUser(user: Struct, at: string, versions: readonly string[]): readonly FieldError[] {
  const hasToken = Boolean(user.token || user.tokenFile);
  const impersonates = user['as-uid'] || user['as-groups'] !== undefined || user['as-user-extra'] !== undefined;
  return [
    ...(hasToken && user.username
      ? [invalid(at, '', 'more than one authentication method found; only one is allowed, a token or a name')]
      : []),
    ...(user.exec === undefined ? [] : validateProgram(user.exec, `${at}.exec`, versions)),
    ...(user.exec !== undefined && user['auth-provider'] !== undefined
      ? [invalid(`${at}.exec`, '', 'may not be set together with auth-provider')]
      : []),
    ...(impersonates && !user.as ? [required(`${at}.as`, 'who acts as a group or with attributes acts as a user')] : []),
  ];
}

function validateProgram(
  { command, apiVersion, env, interactiveMode }: Struct,
  at: string,
  versions: readonly string[],
): readonly FieldError[] {
  return [
    ...needed(command, `${at}.command`),
    ...(apiVersion ? oneOf(apiVersion, `${at}.apiVersion`, versions) : [required(`${at}.apiVersion`)]),
    ...eachItem<Struct>(env, `${at}.env`, ({ name }, path) => needed(name, `${path}.name`)),
    ...(interactiveMode ? oneOf(interactiveMode, `${at}.interactiveMode`, MODES) : [required(`${at}.interactiveMode`)]),
  ];
}

function validateContext({ cluster, user }: Struct, at: string, { clusters, users }: Struct): readonly FieldError[] {
  return [
    ...(cluster ? validateReference(cluster, clusters, `${at}.cluster`) : [required(`${at}.cluster`)]),
    ...(user ? validateReference(user, users, `${at}.user`) : []),
  ];
}

function validateReference(name: string, among: readonly Struct[] | null | undefined, at: string): readonly FieldError[] {
  return (among ?? []).some((each) => each.name === name) ? [] : [notFound(at, name)];
}
