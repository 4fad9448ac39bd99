/** How a client reaches a server, why it trusts it, and as whom it asks. */
import type { LookupFunction } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { Tunnel } from './tunnel.ts';

export interface ConnectionSettings {
  /** http or https, such as `https://10.0.0.1:6443`; paths of the API are below its path */
  readonly server: string | URL;
  /** PEM of trusted authorities; absent: those that Node knows */
  readonly certificateAuthority?: string;
  /** name that the server's certificate must have; absent: the host of `server` */
  readonly tlsServerName?: string;
  /** checks whether a trusted certificate is that of the server; absent: Node's check. @returns why it is not */
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
  /** credentials that change; takes precedence over the ones above */
  readonly credentials?: Credentials;
  /** user that requests impersonate; the client needs the right to do so */
  readonly impersonate?: Impersonation;
  /** http, https or socks5; '' uses none, absent: as the environment says (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) */
  readonly proxy?: string;
  /** makes connections to the server, in place of TCP and of any proxy */
  readonly tunnel?: Tunnel;
  /** true asks for no compressed answers */
  readonly disableCompression?: boolean;
  /** resolves the host; absent: DNS does */
  readonly lookup?: LookupFunction;
  /** the most connections of requests at a time, and of unused ones; each 64 by default. Streams, such as watches, are not limited */
  readonly limits?: { readonly open?: number; readonly idle?: number };
  /** header `User-Agent`; absent: clients of the API send the name of their program, others send none */
  readonly userAgent?: string;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The credentials of one request. */
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
  /** Gives the present credentials. It is called before each request, so it should cache them. @throws Error if there are none */
  get(): Credential | Promise<Credential>;
  /** Is called when the server has refused a credential with 401. @returns whether `get` may give another one now */
  refused(credential: Credential): boolean;
}

/** Makes a source of credentials that do not change; undefined if there are none. */
export function fixedCredentials({ clientCertificate, clientKey, token, basic }: ConnectionSettings): Credentials | undefined {
  const authorization = authorizationOf(token, basic);
  const certificate = clientCertificate && clientKey ? { cert: clientCertificate, key: clientKey } : undefined;
  if (authorization === undefined && certificate === undefined) return undefined;
  const credential = { ...(authorization !== undefined && { authorization }), ...(certificate !== undefined && { certificate }) };
  return { get: () => credential, refused: () => false };
}

/** The header `Authorization`. A token takes precedence over a name. */
export function authorizationOf(token: string | undefined, basic: ConnectionSettings['basic']): string | undefined {
  if (token) return `Bearer ${token}`;
  return basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
}

/** Headers of impersonation. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${escapedKey(key)}`, values.map(bytes)] as const);
  return {
    'Impersonate-User': bytes(user),
    ...(uid && { 'Impersonate-Uid': bytes(uid) }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups.map(bytes) }),
    ...Object.fromEntries(extras),
  };
}

/** Encodes text as UTF-8 and reads the bytes as Latin-1, because Node writes headers as Latin-1. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

/** Escapes bytes that are not allowed in header names, and `%` itself, as `%XX` (RFC 9110 section 5.6.2). */
function escapedKey(key: string): string {
  return bytes(key).replace(/[^!#$&'*+\-.^_`|~\da-z]/gi, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
