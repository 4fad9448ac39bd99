/** Clients of what runs in a pod. */
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import { createClient, type FindOptions, findConnection, inClusterConnection, isInCluster } from '../../../generated/client/index.ts';
import { certificateAuthority, configured, server, token } from './configured-server.ts';
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
const inPod = { folder: account, environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port } };
const nowhere = { folder: path.join(folder, 'no-account'), environment: {} };
const empty = file('no-configuration');
const found: [name: string, options: FindOptions, place: typeof inPod | typeof nowhere, server: string, namespace: string][] = [
  ['of a configuration outside of a pod have its namespace', { file: configured({ token }) }, nowhere, server.url, 'default'],
  ['of a configuration in a pod have the namespace of the pod', { file: configured({ token }) }, inPod, server.url, 'of-the-pod'],
  [
    'of a configuration with a namespace have that one',
    { file: configured({ token }, {}, { namespace: 'mine' }) },
    inPod,
    server.url,
    'mine',
  ],
  [
    'of a configuration with the usual namespace have that one',
    { file: configured({ token }, {}, { namespace: 'default' }) },
    inPod,
    server.url,
    'default',
  ],
  [
    'of a configuration have the namespace that overrides state',
    { file: configured({ token }), overrides: { context: { namespace: 'o' } } },
    inPod,
    server.url,
    'o',
  ],
  ['without a configuration have all of the pod', { file: empty }, inPod, `https://${hostname}:${port}`, 'of-the-pod'],
  [
    'without a configuration have the namespace that overrides state',
    { file: empty, overrides: { context: { namespace: 'o' } } },
    inPod,
    `https://${hostname}:${port}`,
    'o',
  ],
];
for (const [name, options, place, address, namespace] of found)
  pod(name, async () => {
    const { connection, namespace: found } = await findConnection(kubernetes, options, place);
    assert.equal([String(connection.server), found], [address, namespace]);
  });
pod('take the server, the token and the authority that overrides state', () => {
  const authority = file('another-authority', certificateAuthority.replace(/^/, '\n'));
  const tokenFile = file('another-token', 'of-file');
  const overrides = { cluster: { server: 'https://elsewhere', certificateAuthority: authority }, user: { token: 'own' } };
  const { connection } = inClusterConnection(kubernetes, inPod, overrides);
  assert.is(connection.server, 'https://elsewhere');
  assert.is(connection.certificateAuthority?.trim(), certificateAuthority.trim());
  assert.equal(connection.credentials?.get(), { authorization: 'Bearer own' });
  const ofFile = inClusterConnection(kubernetes, inPod, { user: { tokenFile } }).connection;
  assert.equal(ofFile.credentials?.get(), { authorization: 'Bearer of-file' });
  assert.equal(inClusterConnection(kubernetes, inPod).connection.credentials?.get(), { authorization: `Bearer ${token}` });
});
pod.after(async () => {
  await server.stop();
});
pod.run();
