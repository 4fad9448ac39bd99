/** Which certificate a connection is shown: by the name that its client asks for, or by the address that it came to, with the rules of 1.32. */
import type { Server, Socket } from 'node:net';
import { createSecureContext, type SecureContext, type Server as TlsServer } from 'node:tls';
import type { CertificateAndKey } from '../certificates/certificate-request.ts';
import { NamedContexts } from '../certificates/named-certificates.ts';
import { type ServingTls, secureOptions, tlsOptions } from './serving-tls.ts';

export class ChosenCertificates {
  #tls: ServingTls;
  #named: NamedContexts;
  /** the listener's own certificate, for clients that ask for a name that is nobody's; undefined where the server has no other one for them */
  #own: SecureContext | undefined;
  /** what clients get that ask for no name */
  #shown: CertificateAndKey;

  /** @throws Error of TLS for a certificate that is not one */
  constructor(tls: ServingTls) {
    this.#tls = tls;
    this.#shown = tls;
    this.#named = contextsOf(tls);
    this.#own = ownContext(this.#named, tls);
  }

  /** The `SNICallback` of a server. */
  readonly chooseByName = (name: string, choose: (error: Error | null, context?: SecureContext) => void): void =>
    choose(null, this.#named.byName(name) ?? this.#own);

  /** Has clients that ask for no name get the certificate for the address that they came to. Node does not ask for one then: the server gets it before. */
  chooseByAddress(server: Server): void {
    server.prependListener('connection', ({ localAddress }: Socket) => {
      if (this.#own === undefined && this.#shown === this.#tls) return;
      this.#show(this.#named.byAddress(localAddress) ?? this.#tls, server);
    });
  }

  /** Serves new connections with other certificates. @throws Error of TLS for a certificate that is not one; everything stays as it is then */
  renew(tls: ServingTls, server: Server): void {
    const named = contextsOf(tls);
    const own = ownContext(named, tls);
    this.#show(tls, server, tls);
    this.#tls = tls;
    this.#named = named;
    this.#own = own;
  }

  #show(shown: CertificateAndKey, server: Server, tls = this.#tls): void {
    if (shown === this.#shown) return;
    (server as TlsServer).setSecureContext(tlsOptions({ ...tls, certificate: shown.certificate, key: shown.key }));
    this.#shown = shown;
  }
}

const contextsOf = (tls: ServingTls): NamedContexts => new NamedContexts(tls.named ?? [], tls.certificate, secureOptions(tls));

function ownContext(named: NamedContexts, tls: ServingTls): SecureContext | undefined {
  return named.hasAddresses ? createSecureContext({ ...secureOptions(tls), cert: tls.certificate, key: tls.key }) : undefined;
}
