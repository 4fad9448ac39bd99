/** The config map that tells API servers beside this one how to know its clients, as 1.32 keeps it. */
import { X509Certificate } from 'node:crypto';
import type { Identity } from '../contract/identity.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import type { SystemObject } from './system-object.ts';

export interface ClientAuthentication {
  /** PEM */
  readonly clientAuthorities: string;
  /** of authenticating proxies; absent where none is trusted */
  readonly proxies?: {
    /** PEM */
    readonly authorities: string;
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    /** absent where the feature gate RemoteRequestHeaderUID is off */
    readonly uidHeaders?: readonly string[];
    readonly extraHeaderPrefixes: readonly string[];
  };
}

type Data = Readonly<Record<string, string>>;

/** Servers before this one may have written what still holds: it stays, but for authorities that have ended. */
export function clientAuthenticationMap({ text }: Identity, { clientAuthorities, proxies }: ClientAuthentication): SystemObject {
  const lists: Readonly<Record<string, readonly string[]>> =
    proxies === undefined
      ? {}
      : {
          'requestheader-allowed-names': proxies.allowedNames,
          'requestheader-username-headers': proxies.usernameHeaders,
          'requestheader-group-headers': proxies.groupHeaders,
          ...(proxies.uidHeaders && { 'requestheader-uid-headers': proxies.uidHeaders }),
          'requestheader-extra-headers-prefix': proxies.extraHeaderPrefixes,
        };
  const bundles: Data = {
    'client-ca-file': clientAuthorities,
    ...(proxies !== undefined && { 'requestheader-client-ca-file': proxies.authorities }),
  };
  const dataAfter = (before: Data): Data => ({
    ...before,
    ...mapped(bundles, (bundle, name) => joinedBundles(before[name], bundle)),
    ...mapped(lists, (list, name) => JSON.stringify([...new Set([...listIn(before[name]), ...list])])),
  });
  return {
    resource: { group: '', version: 'v1', name: 'configmaps' },
    metadata: { name: 'extension-apiserver-authentication', namespace: text('${systemNamespace}') },
    members: { data: dataAfter({}) },
    repair: (stored) => {
      const before = (stored.data ?? {}) as Data;
      const after = dataAfter(before);
      return Object.entries(after).every(([name, value]) => before[name] === value) ? undefined : { ...stored, data: after };
    },
  };
}

function mapped<V>(values: Readonly<Record<string, V>>, text: (value: V, name: string) => string): Data {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value, name)]));
}

/** The list that a text holds; empty where it holds none. */
function listIn(text: string | undefined): string[] {
  try {
    const list: unknown = parseNativeJson(text ?? '[]');
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** What is there keeps its place, as in 1.32: servers with authorities of their own would else change the order in turns. */
function joinedBundles(before: string | undefined, ours: string): string {
  const own: readonly string[] = ours.match(CERTIFICATE) ?? [];
  const kept = (before?.match(CERTIFICATE) ?? []).filter((each) => own.includes(each) || holds(each));
  return [...new Set([...kept, ...own])].map((each) => `${each}\n`).join('');
}

function holds(certificate: string): boolean {
  try {
    return Date.parse(new X509Certificate(certificate).validTo) > Date.now();
  } catch {
    return false;
  }
}
