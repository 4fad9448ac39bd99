/** A server inside of this process, and a client of it. */
import { type ClientOptions, createClient } from '../../generated/client/index.ts';
import type { Client } from '../../runtime/client/resources/client.ts';
import type { ConnectionSettings } from '../../runtime/client/transport/connection-settings.ts';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { type EmbeddedServer, type ServerOptions, startServer } from '../../runtime/embedded/start-server.ts';

export interface ServerAndClient extends AsyncDisposable {
  readonly server: EmbeddedServer;
  readonly client: Client;
  /** What the server has warned of. */
  readonly warnings: string[];
}

export async function serverAndClient(
  dialect: Dialect = 'kubernetes',
  { flags }: Pick<ServerOptions, 'flags'> = {},
  settings: Partial<ConnectionSettings> = {},
  options: Partial<ClientOptions> = {},
): Promise<ServerAndClient> {
  const server = await startServer({ dialect, ...(flags && { flags }) });
  const warnings: string[] = [];
  const client = createClient(
    { ...server.clientConfig, ...settings },
    { dialect, onWarning: (warning) => warnings.push(warning), ...options },
  );
  const end = async (): Promise<void> => {
    await client.close();
    await server.stop();
  };
  return { server, client, warnings, [Symbol.asyncDispose]: end };
}
