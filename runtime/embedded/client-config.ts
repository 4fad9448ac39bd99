/** How clients reach a server as its administrator: either the certificate with its key, or the token, or both. */
export interface ClientConfig {
  /** such as https://127.0.0.1:41234 */
  readonly server: string;
  /** PEM; by which the server is trusted */
  readonly certificateAuthority: string;
  /** PEM */
  readonly clientCertificate: string;
  /** PEM */
  readonly clientKey: string;
  /** for `Authorization: Bearer …`; another one for each server */
  readonly token: string;
  /** the same as a kubeconfig file, for kubectl and client libraries */
  readonly kubeconfig: string;
}
