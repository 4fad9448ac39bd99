/** Lists of metadata alone in protobuf: the versions number the members of the list differently. */
import https from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { decodeProtobuf, unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { authority } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const lists = suite<{ server: TestServer }>('lists of metadata in protobuf');
lists.before(async (context) => {
  context.server = await startServer({ dialect: 'kubernetes' });
});
lists.after(async ({ server }) => {
  await server.stop();
});

function bytesOf(server: TestServer, path: string, accept: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${server.tokens.admin}`, accept };
  return new Promise((resolve, reject) => {
    https
      .get(`${server.url}${path}`, { headers, ca: authority(server) }, async (response) => resolve(Buffer.concat(await response.toArray())))
      .on('error', reject);
  });
}

for (const version of ['v1', 'v1beta1'])
  lists(`are of version ${version} where it is asked for`, async ({ server }) => {
    const accept = `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=${version}`;
    const { apiVersion, kind, raw } = unwrapEnvelope(await bytesOf(server, '/api/v1/namespaces', accept));
    assert.equal([apiVersion, kind], [`meta.k8s.io/${version}`, 'PartialObjectMetadataList']);
    const { kinds } = await import(`../../../generated/meta/${version}/kinds.ts`);
    const list = decodeProtobuf(compileType(kinds.PartialObjectMetadataList.type, createIdentity(identityData, 'kubernetes')), raw) as {
      metadata: { resourceVersion: string };
      items: { metadata: { name: string } }[];
    };
    assert.match(list.metadata.resourceVersion, /^\d+$/);
    assert.ok(list.items.some(({ metadata }) => metadata.name === 'default'));
  });
lists.run();
