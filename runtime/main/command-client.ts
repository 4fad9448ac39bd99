/** What commands share that are clients of a server. */
import { identity as identityData } from '../../generated/identity.ts';
import { type FoundConnection, findConnection } from '../client/configuration/connection.ts';
import { Client } from '../client/resources/client.ts';
import { createIdentity, type Dialect, type Identity } from '../contract/identity.ts';
import type { FlagData } from '../server/flags/flag-data.ts';

/** The flags that say which server is asked, as whom, and in which dialect. */
export const CLIENT_FLAGS = [
  {
    name: 'kubeconfig',
    group: 'general',
    type: 'string',
    status: 'effective',
    help: 'Client configuration of an administrator, such as admin.conf in the data directory; that of the user by default.',
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
] as const satisfies readonly FlagData[];

interface ClientFlagValues {
  readonly kubeconfig: string;
  readonly dialect: Dialect;
}

/**
 * Calls `use` with a client of the server that the flags name, and closes the client behind it.
 * @param fieldManager owner of the fields that the client writes
 * @throws what `use` throws; ConfigurationError where no file says where the server is
 */
export async function withClient<T>(
  { kubeconfig, dialect }: ClientFlagValues,
  fieldManager: string,
  use: (client: Client, connection: FoundConnection['connection'], identity: Identity) => Promise<T>,
): Promise<T> {
  const identity = createIdentity(identityData, dialect);
  const { connection } = await findConnection(identity, kubeconfig === '' ? {} : { file: kubeconfig });
  const client = new Client(connection, { identity, fieldManager });
  try {
    return await use(client, connection, identity);
  } finally {
    await client.close();
  }
}
