/** Who asks: methods are tried in order, the first that knows the credentials decides (specification: Authentication). */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { User } from '../endpoints/api-server.ts';
import type { TokenAnswer } from '../kinds/authentication/token-review.ts';
import { newUnauthorized } from '../status/status.ts';
import { certificateUser } from './client-certificate.ts';
import type { TokenFile } from './token-file.ts';

export const AUTHENTICATED_GROUP = 'system:authenticated';

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };

const BEARER = /^bearer +(\S+) *$/i;

export class Authenticator {
  readonly #tokens: TokenFile | undefined;
  readonly #anonymous: boolean;
  readonly #proxyAuthority: X509Certificate | undefined;
  /** a connection presents its certificate once */
  readonly #certificates = new WeakMap<TLSSocket, User | null>();

  /** @param options.proxyAuthority PEM; a certificate that it signed is a proxy's, and names no user */
  constructor(options: { tokens: TokenFile | undefined; anonymous: boolean; proxyAuthority?: string | undefined }) {
    this.#tokens = options.tokens;
    this.#anonymous = options.anonymous;
    this.#proxyAuthority = options.proxyAuthority === undefined ? undefined : new X509Certificate(options.proxyAuthority);
  }

  /** @throws StatusError Unauthorized for credentials that nobody knows, and for none where anonymous requests are off */
  authenticate(request: IncomingMessage): User {
    const header = request.headers.authorization;
    const certificate = this.#certificateOf(request.socket as TLSSocket);
    if (certificate !== null) return certificate;
    const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
    if (token !== undefined) {
      const user = this.#tokens?.find(token);
      if (user === undefined) throw newUnauthorized();
      return user;
    }
    if (!this.#anonymous) throw newUnauthorized();
    return ANONYMOUS;
  }

  /** For TokenReview: whose a token is. Static tokens are for the audiences of the server itself. */
  review(token: string, audiences: readonly string[]): TokenAnswer {
    const user = this.#tokens?.find(token);
    return user === undefined ? { error: '[invalid bearer token, token lookup failed]' } : { user, audiences };
  }

  #certificateOf(socket: TLSSocket): User | null {
    let user = this.#certificates.get(socket);
    if (user === undefined) {
      user = certificateUser(socket, this.#proxyAuthority);
      this.#certificates.set(socket, user);
    }
    return user;
  }
}
