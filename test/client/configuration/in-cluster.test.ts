/** Clients of what runs in a pod. */
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import { createClient, inClusterConnection, isInCluster } from '../../../generated/client/index.ts';
import { certificateAuthority, server, token } from './configured-server.ts';
import { cluster, file, folder, kubernetes } from './written-files.ts';

const pod = suite('clients in a pod');
const account = path.join(folder, 'account');
file('account/token', token);
file('account/ca.crt', certificateAuthority);
file('account/namespace', 'of-the-pod\n');
const { hostname, port } = new URL(server.url);
pod('have the account of the pod, by the names of the dialect', async () => {
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  assert.ok(isInCluster(kubernetes, { folder: account, environment }));
  assert.not(isInCluster(cluster, { folder: account, environment }));
  assert.not(isInCluster(kubernetes, { folder: folder, environment }));
  const { connection, namespace } = inClusterConnection(kubernetes, { folder: account, environment });
  assert.is(namespace, 'of-the-pod');
  const client = createClient(connection, { dialect: 'kubernetes', namespace });
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default');
  client.close();
  assert.is(inClusterConnection(kubernetes, { folder: account, environment: { ...environment, POD_NAMESPACE: 'p' } }).namespace, 'p');
  assert.is(
    inClusterConnection(kubernetes, { folder: account, environment: { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' } }).connection
      .server,
    `https://[fd00::1]:${port}`,
  );
});
pod('trust whom everybody trusts where the pod has no authority of its own, and warn of that', async () => {
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const bare = path.join(folder, 'bare-account');
  file('bare-account/token', token);
  for (const problem of [/ca\.crt: no such file/, /unable to load root certificates: unable to parse bytes as PEM block/]) {
    const warned = once(process, 'warning');
    const { connection } = inClusterConnection(kubernetes, { folder: bare, environment });
    assert.is(connection.certificateAuthority, undefined);
    assert.match(((await warned) as [Error])[0].message, problem);
    file('bare-account/ca.crt', 'nothing');
  }
});
pod('say what is missing', () =>
  assert.throws(
    () => inClusterConnection(cluster, { folder: account, environment: {} }),
    /CLUSTER_SERVICE_HOST and CLUSTER_SERVICE_PORT must be defined/,
  ),
);
pod.after(async () => {
  await server.stop();
});
pod.run();
