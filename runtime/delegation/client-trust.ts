/**
 * Which client certificates count for an aggregated server, as the API server that delegates to it says: the config map
 * `extension-apiserver-authentication` has the authorities of clients and of authenticating proxies, and what is believed of these.
 */
import { X509Certificate } from 'node:crypto';
import type { ProxyRules } from '../authentication/authenticator.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';

export const TRUST_MAP = 'extension-apiserver-authentication';

/** A member is absent as long as the map has said nothing of it that can be used. */
export interface ClientTrust {
  /** PEM; whose certificates name users */
  readonly clientAuthorities?: string;
  /** PEM; whose certificates are those of authenticating proxies */
  readonly proxyAuthorities?: string;
  readonly proxyRules?: ProxyRules;
}

type Data = Readonly<Record<string, string>>;

/**
 * What a map says. A part of it that cannot be used stays as it was, as in 1.32: trust that is there is not lost by what somebody has mistyped.
 * @param withUids whether headers may give the uid of a user
 * @param unusable told of each part that cannot be used
 */
export function trustOf(data: Data, before: ClientTrust, withUids: boolean, unusable: (problem: Error) => void): ClientTrust {
  const part = <T>(name: string, read: () => T, old: T | undefined): T | undefined => {
    try {
      return read();
    } catch (error) {
      unusable(new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`));
      return old;
    }
  };
  const bundle = (name: string, old: string | undefined): string | undefined => part(name, () => authorities(data[name]), old);
  const clientAuthorities = bundle('client-ca-file', before.clientAuthorities);
  const proxyAuthorities = bundle('requestheader-client-ca-file', before.proxyAuthorities);
  const proxyRules = part('requestheader', () => rulesOf(data, withUids), before.proxyRules);
  return {
    ...(clientAuthorities !== undefined && { clientAuthorities }),
    ...(proxyAuthorities !== undefined && { proxyAuthorities }),
    ...(proxyRules !== undefined && { proxyRules }),
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** @returns undefined where there are none. @throws Error for a certificate that is none */
function authorities(text = ''): string | undefined {
  if (text.trim() === '') return undefined;
  const certificates = text.match(CERTIFICATE);
  if (certificates === null) throw new Error('it holds no certificate in PEM form');
  for (const certificate of certificates) new X509Certificate(certificate);
  return text;
}

function rulesOf(data: Data, withUids: boolean): ProxyRules {
  const list = (name: string): readonly string[] => listIn(`requestheader-${name}`, data[`requestheader-${name}`]);
  return {
    names: list('allowed-names'),
    headers: {
      username: list('username-headers'),
      uid: withUids ? list('uid-headers') : [],
      group: list('group-headers'),
      extraPrefix: list('extra-headers-prefix'),
    },
  };
}

/** @throws Error for what is no list of texts */
function listIn(name: string, text = ''): readonly string[] {
  if (text === '') return [];
  const list = parseNativeJson<unknown>(text);
  if (list === null) return [];
  if (!Array.isArray(list) || list.some((each) => typeof each !== 'string')) throw new Error(`${name} is no list of texts`);
  return list;
}
