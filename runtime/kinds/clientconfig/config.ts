/** Client configurations. What they refer to, files among them, is looked up by whoever uses them. */
import type { Config } from '../../../generated/clientconfig/v1/types.ts';
import { type FieldError, invalid, notFound, notSupported } from '../../contract/field-error.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const PROXY_SCHEMES = ['http', 'https', 'socks5'];

export function proxyUrl(text: string): readonly FieldError[] {
  const url = parseUrl(text);
  if ('error' in url) return [invalid('', text, url.error)];
  return PROXY_SCHEMES.includes(url.scheme) ? NONE : [notSupported('', url.scheme, PROXY_SCHEMES)];
}

/** Contexts name clusters and users of this configuration, which names one of its contexts. */
export function references({ clusters, users, contexts, 'current-context': current }: Config): readonly FieldError[] {
  const ofContexts = eachItem(contexts, '.contexts', ({ context: { cluster, user } }, at) =>
    joined(among(clusters, cluster, `${at}.context.cluster`), among(users, user, `${at}.context.user`)),
  );
  return joined(ofContexts, among(contexts, current, '.current-context'));
}

function among(list: readonly { readonly name: string }[] | null | undefined, name: string, at: string): readonly FieldError[] {
  return !name || list?.some((each) => each.name === name) ? NONE : [notFound(at, name)];
}
