import type { Certificates } from '../server/certificates/certificates.ts';
import { clientConfigurationText } from '../server/certificates/client-configuration.ts';
import type { ClientConfig } from './client-config.ts';

/** What every configuration of one server has, whatever its certificates are. */
interface Place extends Pick<ClientConfig, 'server' | 'token'> {
  /** of the cluster and its context */
  readonly name: string;
}

type Trusted = Pick<Certificates, 'administrator' | 'authority'>;

/**
 * The configuration of a server that renews its certificates while it runs.
 * @param certificates gives what the server has at the time
 * @returns gives the configuration by these; the same one until they change
 */
export function latestClientConfig(place: Place, certificates: () => Trusted): () => ClientConfig {
  let known: { readonly by: Trusted; readonly config: ClientConfig } | undefined;
  return () => {
    const by = certificates();
    if (known?.by !== by) known = { by, config: clientConfigOf(place, by) };
    return known.config;
  };
}

function clientConfigOf({ name, server, token }: Place, { authority, administrator }: Trusted): ClientConfig {
  return {
    server,
    certificateAuthority: authority,
    clientCertificate: administrator.certificate,
    clientKey: administrator.key,
    token,
    kubeconfig: clientConfigurationText({ name, server, authority, user: administrator }),
  };
}
