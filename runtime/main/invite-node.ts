/** `cluster-node-agent invite`: a client configuration with which nodes join the cluster of an administrator. */
import { identity as identityData } from '../../generated/identity.ts';
import { findConnection } from '../client/configuration/connection.ts';
import { Client } from '../client/resources/client.ts';
import { createIdentity } from '../contract/identity.ts';
import { inviteNodes } from '../node-agent/identity/invitation.ts';
import { HELP_FLAG, runCommand } from './command-line.ts';

const command = {
  program: 'cluster-node-agent',
  name: 'invite',
  summary:
    'Makes a bootstrap token, and the bindings of roles by which nodes that have it get certificates, and prints the client configuration for ' +
    '--bootstrap-kubeconfig of these nodes. Who has the configuration can add nodes to the cluster until the token ends.',
  flags: {
    groups: { general: 'Flags' },
    flags: [
      {
        name: 'kubeconfig',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: 'Client configuration of an administrator; that of the user by default.',
      },
      {
        name: 'dialect',
        group: 'general',
        type: 'string',
        values: ['cluster', 'kubernetes'],
        default: 'cluster',
        status: 'effective',
        help: 'Names that the server uses for itself.',
      },
      {
        name: 'ttl',
        group: 'general',
        type: 'duration',
        minimum: '1s',
        default: '24h',
        status: 'effective',
        help: 'How long nodes may join with the token.',
      },
      HELP_FLAG,
    ],
  },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, async ({ kubeconfig, dialect, ttl }) => {
    const identity = createIdentity(identityData, dialect);
    const { connection } = await findConnection(identity, kubeconfig === '' ? {} : { file: kubeconfig });
    const client = new Client(connection, { identity, fieldManager: command.program });
    try {
      process.stdout.write(await inviteNodes(client, connection, identity, ttl));
      return 0;
    } finally {
      await client.close();
    }
  });
}
