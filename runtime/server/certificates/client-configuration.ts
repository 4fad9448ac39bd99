/** The administrator's client configuration: the file that kubectl and client libraries take with --kubeconfig. */
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomically } from '../../files/atomic-file.ts';
import { readOwnFile } from '../../files/own-file.ts';
import type { CertificateAndKey } from './certificate-request.ts';
import { isWildcard } from './serving-names.ts';

export interface ClientConfiguration {
  readonly file: string;
  /** the name of the cluster, the user and the context */
  readonly name: string;
  /** the address of the server, such as `https://127.0.0.1:6443`; see `serverAddress` */
  readonly server: string;
  /** PEM text of the authority by which the server is trusted */
  readonly authority: string;
  readonly user: CertificateAndKey | { readonly token: string };
}

/** Writes the file, for its owner alone, unless it says the same already. @returns its absolute path */
export function writeClientConfiguration(configuration: ClientConfiguration): string {
  const file = path.resolve(configuration.file);
  const text = clientConfigurationText(configuration);
  if (says(file, text)) chmodSync(file, 0o600);
  else writeFileAtomically(file, text, 0o600);
  return file;
}

/** One that cannot be read is written anew. */
function says(file: string, text: string): boolean {
  try {
    return readOwnFile(file) === text;
  } catch {
    return false;
  }
}

/** Makes the URL at which clients on this machine reach a server that listens on an address and a port. */
export function serverAddress(bindAddress: string, port: number): string {
  const host = isWildcard(bindAddress) ? '127.0.0.1' : bindAddress;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function clientConfigurationText({ name, server, authority, user }: Omit<ClientConfiguration, 'file'>): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const credentials =
    'token' in user
      ? [`    token: ${JSON.stringify(user.token)}`]
      : [`    client-certificate-data: ${base64(user.certificate)}`, `    client-key-data: ${base64(user.key)}`];
  return `${[
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    server: ${server}`,
    `    certificate-authority-data: ${base64(authority)}`,
    'users:',
    `- name: ${name}-admin`,
    '  user:',
    ...credentials,
    'contexts:',
    `- name: ${name}`,
    '  context:',
    `    cluster: ${name}`,
    `    user: ${name}-admin`,
    `current-context: ${name}`,
  ].join('\n')}\n`;
}
