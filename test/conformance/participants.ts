/** Who asks in conversations: tokens and client certificates, of authorities that are made for the run. */
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import https from 'node:https';
import { authority } from '../harness/client.ts';
import { type MadeCertificate, OpenSsl } from '../harness/openssl.ts';
import { type TestServer, tokens } from '../harness/server.ts';

/** How a step's `as` names the one who presents a certificate. */
const CERTIFICATE = 'cert:';

export class Participants {
  readonly #openssl = new OpenSsl();
  readonly #certificates: ReadonlyMap<string, MadeCertificate>;
  /** flags of a server that knows them */
  readonly flags: readonly string[];
  /** variables of every conversation: `fingerprint.NAME` of a certificate, `accounts.kid` and `accounts.n` of the key that signs tokens */
  readonly #known: ReadonlyMap<string, string>;

  constructor() {
    const clients = this.#openssl.authority('clients');
    const frontProxies = this.#openssl.authority('front-proxies');
    const unknown = this.#openssl.authority('unknown');
    const leaf = (subject: string, issuer: MadeCertificate, more = {}) => this.#openssl.leaf({ subject, issuer, ...more });
    this.#certificates = new Map([
      ['admin', leaf('/O=system:masters/CN=cert-admin', clients)],
      ['bob', leaf('/O=dev/CN=bob', clients)],
      ['expired', leaf('/O=dev/CN=bob', clients, { days: -1 })],
      ['front-proxy-client', leaf('/CN=front-proxy-client', frontProxies)],
      ['node1', leaf('/O=system:nodes/CN=system:node:node1', clients)],
      ['serveronly', leaf('/O=system:masters/CN=serveronly', clients, { usage: 'serverAuth' })],
      ['stranger', leaf('/O=system:masters/CN=stranger', unknown)],
    ]);
    const accounts = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    this.flags = [
      `--client-ca-file=${clients.certificateFile}`,
      `--requestheader-client-ca-file=${frontProxies.certificateFile}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--service-account-signing-key-file=${this.#openssl.write('accounts.key', accounts.privateKey)}`,
      `--service-account-key-file=${this.#openssl.write('accounts.pub', accounts.publicKey)}`,
    ];
    const fingerprints = this.#certificates
      .entries()
      .map(([name, { certificate }]): [string, string] => [`fingerprint.${name}`, fingerprint(certificate)]);
    this.#known = new Map([...fingerprints, ...keyVariables(accounts.publicKey)]);
  }

  /** The connections of one conversation's participants to a server; `close` them. */
  connect(server: TestServer): Connections {
    return new Connections(server, this.#certificates, this.#known);
  }

  remove(): void {
    this.#openssl.remove();
  }
}

export class Connections {
  readonly url: string;
  readonly known: ReadonlyMap<string, string>;
  readonly #ca: string;
  readonly #certificates: ReadonlyMap<string, MadeCertificate>;
  readonly #agents = new Map<string, https.Agent>();

  constructor(server: TestServer, certificates: ReadonlyMap<string, MadeCertificate>, known: ReadonlyMap<string, string>) {
    this.url = server.url;
    this.known = known;
    this.#ca = authority(server);
    this.#certificates = certificates;
  }

  /** @param who as a step names it @throws Error for a certificate that there is not */
  agent(who: string): https.Agent {
    const name = who.startsWith(CERTIFICATE) ? who.slice(CERTIFICATE.length) : '';
    let agent = this.#agents.get(name);
    if (agent === undefined) {
      const presented = this.#certificates.get(name);
      if (name !== '' && presented === undefined) throw new Error(`nobody has made a certificate for ${name}`);
      agent = new https.Agent({ keepAlive: true, ca: this.#ca, cert: presented?.certificate, key: presented?.key });
      this.#agents.set(name, agent);
    }
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

/** SHA-256 in hexadecimal, as credentials are told apart. */
function fingerprint(pem: string): string {
  return createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');
}

/** What the server's key set says of its key: it is called by the digest of its encoding. */
function keyVariables(pem: string): [name: string, value: string][] {
  const key = createPublicKey(pem);
  const digest = createHash('sha256').update(key.export({ type: 'spki', format: 'der' }));
  return [
    ['accounts.kid', digest.digest('base64url')],
    ['accounts.n', key.export({ format: 'jwk' }).n as string],
  ];
}

/** The `Authorization` of a step that states none; undefined for who has no token. @param who as a step names it: a user of the harness, a certificate, `none`, or a token */
export function authorizationOf(who: string): string | undefined {
  if (who === 'none' || who.startsWith(CERTIFICATE)) return undefined;
  return `Bearer ${Object.hasOwn(tokens, who) ? tokens[who as keyof typeof tokens] : who}`;
}
