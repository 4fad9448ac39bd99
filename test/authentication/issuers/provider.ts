/** An OpenID provider on loopback, over TLS with a certificate of the test's own authority. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { OpenSsl } from '../../harness/openssl.ts';

export class Provider {
  readonly url: string;
  /** PEM of the authority that signed its certificate */
  readonly authority: string;
  /** paths that were asked for */
  readonly asked: string[] = [];
  /** what discovery says of itself; a test may make it lie */
  configuration: Record<string, unknown>;
  /** answers with this status instead while it is not 200 */
  status = 200;
  /** what it answers at /claims, and with which credentials that was asked for last */
  distributed = '';
  credentials: string | undefined;
  /** of the answer at /claims, where there is something to answer */
  distributedStatus = 200;
  /** answers wait for it */
  held: Promise<void> | undefined;
  /** connections that clients have open */
  connections = 0;
  /** where paths lead instead of being answered */
  readonly redirects = new Map<string, string>();
  readonly #keys = new Map<string, { privateKey: CryptoKey; jwk: object; alg: string }>();
  readonly #close: () => void;

  static async start(folder: OpenSsl): Promise<Provider> {
    const authority = folder.authority('provider-authority');
    const { certificate, key } = folder.leaf({ subject: '/CN=provider', issuer: authority, usage: 'serverAuth', host: '127.0.0.1' });
    let answer: (path: string, authorization: string | undefined) => [status: number, body: string] = () => [503, ''];
    const server = createServer({ cert: certificate, key }, async (request: IncomingMessage, response: ServerResponse) => {
      const [status, body] = answer(request.url ?? '', request.headers.authorization);
      await provider.held;
      const location = provider.redirects.get(request.url ?? '');
      if (location !== undefined) response.writeHead(302, { location }).end();
      else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/issuer`;
    const provider = new Provider(url, authority.certificate, () => {
      server.closeAllConnections();
      server.close();
    });
    server.on('connection', (socket) => {
      provider.connections++;
      socket.once('close', () => provider.connections--);
    });
    answer = (path, authorization) => provider.#answer(path, authorization);
    return provider;
  }

  private constructor(url: string, authority: string, close: () => void) {
    this.url = url;
    this.authority = authority;
    this.configuration = { issuer: url, jwks_uri: `${url}/keys` };
    this.#close = close;
  }

  /** Publishes one more key. */
  async addKey(kid: string, alg = 'RS256'): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    this.#keys.set(kid, { privateKey, alg, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } });
  }

  removeKey(kid: string): void {
    this.#keys.delete(kid);
  }

  /** A token with the usual claims, changed as a test wants it. */
  sign(kid: string, claims: JWTPayload = {}, header: object = { kid }): Promise<string> {
    const key = this.#keys.get(kid);
    if (key === undefined) throw new Error(`the provider has no key ${kid}`);
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: this.url, aud: 'client', sub: 'jane', iat: now, exp: now + 600, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: key.alg, ...header }).sign(key.privateKey);
  }

  close(): void {
    this.#close();
  }

  #answer(path: string, authorization: string | undefined): [status: number, body: string] {
    this.asked.push(path);
    if (this.status !== 200) return [this.status, 'out of order'];
    if (path.endsWith('/.well-known/openid-configuration') || path === '/elsewhere') return [200, JSON.stringify(this.configuration)];
    if (path === '/claims') {
      this.credentials = authorization;
      return [this.distributed === '' ? 404 : this.distributedStatus, this.distributed];
    }
    if (path.endsWith('/keys')) return [200, JSON.stringify({ keys: [...this.#keys.values()].map(({ jwk }) => jwk) })];
    return [404, '{}'];
  }
}
