/**
 * Judges the client certificate of a connection (specification: client certificates, authenticating proxy). This is done once for each connection;
 * only the expiration is checked for each request.
 */
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { connectionOf } from '../connections/connection-of.ts';
import type { User } from '../contract/request-context.ts';
import type { Distribution } from '../observability/metrics.ts';
import { CertificateAuthorities, type PresentedCertificate } from './certificate-authorities.ts';
import { isUnderstood } from './client-purpose.ts';
import { withAuthenticatedGroup } from './identities.ts';
import { type Outcome, Refusal } from './outcome.ts';

export interface CertificatePurposes {
  /** authorities for certificates of users */
  readonly users: CertificateAuthorities;
  /** authorities for certificates of authenticating proxies; undefined: no proxies */
  readonly proxies: CertificateAuthorities | undefined;
  /** allowed Common Names of proxies; empty: any */
  readonly proxyNames: readonly string[];
  /** key in a user's `extra` for the fingerprint of the certificate */
  readonly credentialId: string;
  /** gets, for each request, the seconds for which its certificate is still valid */
  readonly expirations: Distribution;
}

/** The authorities as files have them. */
export interface ClientAuthorities {
  /** PEM texts; a client certificate that one of these signed names its user */
  readonly clientAuthorities: readonly string[];
  /** PEM; a client certificate that one of these signed is an authenticating proxy's */
  readonly proxyAuthorities: string | undefined;
}

export function purposesOf({ clientAuthorities, proxyAuthorities }: ClientAuthorities): Pick<CertificatePurposes, 'users' | 'proxies'> {
  return {
    users: new CertificateAuthorities(clientAuthorities),
    proxies: proxyAuthorities === undefined ? undefined : new CertificateAuthorities([proxyAuthorities]),
  };
}

/** The judgement of one connection's certificate. Times are milliseconds since 1970. */
interface Judged {
  /** undefined: the subject has no user name; a refusal: no authority of users has signed it */
  readonly user: Outcome<User>;
  readonly userUntil: number;
  /** expiration of the certificate itself, without its issuers */
  readonly leafUntil: number;
  readonly proxy: true | Refusal;
  readonly proxyUntil: number;
}

/** Most certificates whose issuers are remembered. */
const REMEMBERED = 1_024;

const UNTRUSTED = new Refusal('the client certificate is not valid for users');
const NO_PROXY = new Refusal('the client certificate is not that of an authenticating proxy');
const EXPIRED = new Refusal('the client certificate has expired');

export class ClientCertificates {
  #purposes: CertificatePurposes;
  /** issuers by the fingerprint of the certificate that they came with; the oldest are dropped first */
  readonly #issuers = new Map<string, readonly X509Certificate[]>();
  /** by connection; null: it has no certificate */
  #judged = new WeakMap<object, Judged | null>();

  constructor(purposes: CertificatePurposes) {
    this.#purposes = purposes;
  }

  /**
   * Judges all certificates by other authorities and names from now on. If none of the earlier authorities had signed a certificate, its connection must
   * be made anew, because the listener has found the certificate invalid.
   */
  trust(authorities: Pick<CertificatePurposes, 'users' | 'proxies'> & Partial<Pick<CertificatePurposes, 'proxyNames'>>): void {
    this.#purposes = { ...this.#purposes, ...authorities };
    this.#judged = new WeakMap();
  }

  /** @returns undefined if the connection has no certificate, or that has no user name */
  user(request: IncomingMessage): Outcome<User> {
    const judged = this.#of(request);
    if (judged === null || judged.user === undefined || judged.user instanceof Refusal) return judged?.user;
    const now = Date.now();
    if (now >= judged.userUntil) return EXPIRED;
    this.#purposes.expirations.observe((judged.leafUntil - now) / 1_000);
    return judged.user;
  }

  /** Whether the connection is that of an authenticating proxy, whose headers count. @returns undefined if it has no certificate, or proxies are not known */
  proxy(request: IncomingMessage): Outcome<true> {
    if (this.#purposes.proxies === undefined) return undefined;
    const judged = this.#of(request);
    if (judged === null || judged.proxy instanceof Refusal) return judged?.proxy;
    return Date.now() < judged.proxyUntil ? true : EXPIRED;
  }

  #of(request: IncomingMessage): Judged | null {
    const connection = connectionOf(request);
    let judged = this.#judged.get(connection);
    if (judged === undefined) {
      const presented = presentedCertificate(request.socket as TLSSocket);
      judged = presented === undefined ? null : this.#judge(this.#withIssuers(presented), Date.now());
      this.#judged.set(connection, judged);
    }
    return judged;
  }

  /** Adds remembered issuers, because a resumed TLS session has the certificate but not the issuers that first came with it. */
  #withIssuers(presented: PresentedCertificate): PresentedCertificate {
    const { fingerprint256 } = presented.leaf;
    if (!presented.verified) return presented;
    if (presented.issuers.length === 0) return { ...presented, issuers: this.#issuers.get(fingerprint256) ?? [] };
    this.#issuers.delete(fingerprint256);
    this.#issuers.set(fingerprint256, presented.issuers);
    const [oldest] = this.#issuers.keys();
    if (this.#issuers.size > REMEMBERED) this.#issuers.delete(oldest as string);
    return presented;
  }

  #judge(presented: PresentedCertificate, now: number): Judged {
    const { users, proxies, proxyNames, credentialId } = this.#purposes;
    const subject = presented.leaf.toLegacyObject().subject as unknown as Subject;
    const userUntil = presented.verified ? users.validUntil(presented, now) : undefined;
    const proxyUntil = presented.verified ? proxies?.validUntil(presented, now) : undefined;
    const named = proxyNames.length === 0 || proxyNames.includes(commonName(subject));
    return {
      user: userUntil === undefined ? UNTRUSTED : userOf(presented.leaf, subject, credentialId),
      userUntil: userUntil ?? 0,
      leafUntil: presented.leaf.validToDate.getTime(),
      proxy: proxyUntil === undefined || !named ? NO_PROXY : true,
      proxyUntil: proxyUntil ?? 0,
    };
  }
}

/** @returns undefined for a connection without TLS, or without a client certificate */
function presentedCertificate(socket: TLSSocket): PresentedCertificate | undefined {
  if (typeof socket.getPeerCertificate !== 'function') return undefined;
  const shown = socket.getPeerCertificate(true);
  if (shown?.raw === undefined) return undefined;
  const leaf = new X509Certificate(shown.raw);
  return { leaf, issuers: issuersOf(shown), verified: socket.authorized || (isOnlyForOthers(socket) && isUnderstood(leaf)) };
}

/**
 * Whether the listener objects only to the purpose of the certificate, which is judged by the rules of 1.32 later. Of several errors the listener names
 * the last one. Errors of signatures and times would come after this one; those that come before it are looked for by `isUnderstood`, and in the chain.
 */
const isOnlyForOthers = ({ authorizationError }: TLSSocket): boolean => String(authorizationError) === 'INVALID_PURPOSE';

function issuersOf(shown: DetailedPeerCertificate): X509Certificate[] {
  const issuers: X509Certificate[] = [];
  for (let at = shown; at.issuerCertificate !== undefined && at.issuerCertificate !== at; at = at.issuerCertificate)
    issuers.push(new X509Certificate(at.issuerCertificate.raw));
  return issuers;
}

/** A subject as Node has it. An attribute that occurs several times is a list. */
interface Subject {
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

/** The Common Name; of several the last one, as in 1.32. */
function commonName({ CN = '' }: Subject): string {
  return typeof CN === 'string' ? CN : (CN.at(-1) ?? '');
}

function userOf(leaf: X509Certificate, subject: Subject, credentialId: string): User | undefined {
  const name = commonName(subject);
  if (name === '') return undefined;
  const fingerprint = createHash('sha256').update(leaf.raw).digest('hex');
  return withAuthenticatedGroup({
    name,
    uid: '',
    groups: [subject.O ?? []].flat(),
    extra: { [credentialId]: [`X509SHA256=${fingerprint}`] },
  });
}
