/** A server, and configurations of its clients. Who imports it ends the server. */
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import { connect } from '../../../generated/client/index.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { file } from './written-files.ts';

export const server = await startServer({ dialect: 'kubernetes' });
export const { certificateAuthority, clientCertificate, clientKey, token } = server.clientConfig;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** @param user, clusterMembers, context what the configuration says besides where the server is and whom to trust */
export const config = (user: object, clusterMembers: object = {}, context: object = {}): string =>
  JSON.stringify({
    clusters: [
      { name: 'c', cluster: { server: server.url, 'certificate-authority-data': base64(certificateAuthority), ...clusterMembers } },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  });

let configs = 0;

/** @returns the path of a file with a configuration, which no other one is in */
export const configured = (...given: Parameters<typeof config>): string => file(`configs/${configs++}`, config(...given));

/** A request of a client of a configuration. @returns the name of what was asked for */
export async function asks(user: object, clusterMembers?: object): Promise<string> {
  const client = await connect({ dialect: 'kubernetes', file: configured(user, clusterMembers) });
  try {
    return (await client.resource(namespaces).get('default')).metadata.name;
  } finally {
    client.close();
  }
}
