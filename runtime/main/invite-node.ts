/** `cluster-node-agent invite`: a client configuration with which nodes join the cluster of an administrator. */
import { inviteNodes } from '../node-agent/identity/invitation.ts';
import { CLIENT_FLAGS, withClient } from './command-client.ts';
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
      ...CLIENT_FLAGS,
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
  return runCommand(command, argv, async (values) => {
    const configuration = await withClient(values, command.program, (client, connection, identity) =>
      inviteNodes(client, connection, identity, values.ttl),
    );
    process.stdout.write(configuration);
    return 0;
  });
}
