/** Lets nodes join: makes a bootstrap token, and grants its users certificates that are approved automatically (specification: Bootstrap tokens). */
import { randomInt } from 'node:crypto';
import { secrets } from '../../../generated/client/core/v1/index.ts';
import { clusterrolebindings } from '../../../generated/client/rbac/v1/index.ts';
import type { Configuration } from '../../client/configuration/configuration.ts';
import { writeConfiguration } from '../../client/configuration/write.ts';
import type { Client } from '../../client/resources/client.ts';
import type { ConnectionSettings } from '../../client/transport/connection-settings.ts';
import type { Identity } from '../../contract/identity.ts';

/** The group of nodes that join by an invitation. */
const GROUP = 'system:bootstrappers:nodes';
const BINDINGS: readonly (readonly [name: string, group: string, role: string])[] = [
  ['nodes:ask-for-certificates', GROUP, 'system:node-bootstrapper'],
  ['nodes:approve-first-certificates', GROUP, 'system:certificates.${groupDomain}:certificatesigningrequests:nodeclient'],
  ['nodes:approve-renewed-certificates', 'system:nodes', 'system:certificates.${groupDomain}:certificatesigningrequests:selfnodeclient'],
];
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * @param client with the rights of an administrator, of the server that `connection` leads to
 * @param lifetime milliseconds that the token is valid
 * @returns a client configuration with the token, for `--bootstrap-kubeconfig`
 */
export async function inviteNodes(client: Client, connection: ConnectionSettings, identity: Identity, lifetime: number): Promise<string> {
  for (const binding of BINDINGS) await bind(client, identity, binding);
  const [id, secret] = [randomText(6), randomText(16)];
  await client
    .resource(secrets)
    .in(identity.names.systemNamespace as string)
    .create({
      metadata: { name: `bootstrap-token-${id}` },
      type: identity.text('bootstrap.${labelDomain}/token'),
      stringData: {
        'token-id': id,
        'token-secret': secret,
        description: 'Lets nodes join.',
        expiration: `${new Date(Date.now() + lifetime).toISOString().slice(0, 19)}Z`,
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': GROUP,
      },
    });
  return writeConfiguration(configurationOf(connection, `${id}.${secret}`));
}

async function bind(client: Client, { text }: Identity, [name, group, role]: (typeof BINDINGS)[number]): Promise<void> {
  const apiGroup = text('rbac.authorization.${groupDomain}');
  await client.resource(clusterrolebindings).apply(
    {
      metadata: { name },
      subjects: [{ kind: 'Group', apiGroup, name: group }],
      roleRef: { kind: 'ClusterRole', apiGroup, name: text(role) },
    },
    { force: true, fieldManager: 'cluster-node-agent' },
  );
}

const randomText = (length: number): string => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

function configurationOf(
  { server, certificateAuthority, tlsServerName, insecureSkipTlsVerify }: ConnectionSettings,
  token: string,
): Configuration {
  const cluster = {
    server: String(server),
    ...(certificateAuthority !== undefined && { certificateAuthorityData: Buffer.from(certificateAuthority).toString('base64') }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(insecureSkipTlsVerify !== undefined && { insecureSkipTlsVerify }),
  };
  return {
    preferences: {},
    extensions: new Map(),
    clusters: new Map([['cluster', cluster]]),
    users: new Map([['node-that-joins', { token }]]),
    contexts: new Map([['join', { cluster: 'cluster', user: 'node-that-joins' }]]),
    currentContext: 'join',
  };
}
