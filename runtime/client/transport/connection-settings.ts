/** Where a server is, by what it is trusted, and who asks it. */
import type { LookupFunction } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { Tunnel } from './tunnel.ts';

export interface ConnectionSettings {
  /** http or https, such as `https://10.0.0.1:6443`; paths of the API are below its path */
  readonly server: string | URL;
  /** PEM, by which the server is trusted; absent: the authorities that Node knows */
  readonly certificateAuthority?: string;
  /** name that the server's certificate must have; absent: the host of `server` */
  readonly tlsServerName?: string;
  /** whom a certificate that is trusted is of; absent: as Node has it. @returns why it is not that of the server */
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
  /** true trusts any certificate */
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM; together with `clientKey` */
  readonly clientCertificate?: string;
  /** PEM */
  readonly clientKey?: string;
  /** for `Authorization: Bearer …` */
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** credentials that change; counts before the ones above */
  readonly credentials?: Credentials;
  /** whose rights the requests have, where whoever asks may take them */
  readonly impersonate?: Impersonation;
  /** http, https or socks5; '' uses none, absent: as the environment says (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) */
  readonly proxy?: string;
  /** leads to the server in place of a connection by TCP, and of any proxy */
  readonly tunnel?: Tunnel;
  /** true asks for no compressed answers */
  readonly disableCompression?: boolean;
  /** finds the address of the host; absent: by DNS */
  readonly lookup?: LookupFunction;
  /** connections of requests at once, and connections that are kept for later; each 64 by default. Watches and other streams have connections of their own */
  readonly limits?: { readonly open?: number; readonly idle?: number };
  /** how the client calls itself; absent: clients of the API by their program, others not at all */
  readonly userAgent?: string;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks, in one request. */
export interface Credential {
  /** header `Authorization` */
  readonly authorization?: string;
  /** PEM */
  readonly certificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A source of credentials. */
export interface Credentials {
  /** Those that count now; called before each request, so it keeps what it has. @throws Error where there are none */
  get(): Credential | Promise<Credential>;
  /** Tells that the server has refused one with 401. @returns whether `get` may give another one now */
  refused(credential: Credential): boolean;
}

/** Credentials that stay as they are; undefined where there are none. */
export function fixedCredentials({ clientCertificate, clientKey, token, basic }: ConnectionSettings): Credentials | undefined {
  const authorization = authorizationOf(token, basic);
  const certificate = clientCertificate && clientKey ? { cert: clientCertificate, key: clientKey } : undefined;
  if (authorization === undefined && certificate === undefined) return undefined;
  const credential = { ...(authorization !== undefined && { authorization }), ...(certificate !== undefined && { certificate }) };
  return { get: () => credential, refused: () => false };
}

/** Header `Authorization`; a token counts before a name. */
export function authorizationOf(token: string | undefined, basic: ConnectionSettings['basic']): string | undefined {
  if (token) return `Bearer ${token}`;
  return basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
}

/** Headers by which a request takes the rights of others. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${escapedKey(key)}`, values.map(bytes)] as const);
  return {
    'Impersonate-User': bytes(user),
    ...(uid && { 'Impersonate-Uid': bytes(uid) }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups.map(bytes) }),
    ...Object.fromEntries(extras),
  };
}

/** UTF-8 in bytes as Latin-1, as Node wants them of headers. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

/** Bytes that no header's name may have, and the sign of escapes itself, as `%XX` (RFC 9110 section 5.6.2). */
function escapedKey(key: string): string {
  return bytes(key).replace(/[^!#$&'*+\-.^_`|~\da-z]/gi, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
