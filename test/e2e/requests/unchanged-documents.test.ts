/** Documents that a client has already, on HTTP/2, where an answer without a body ends with its head. */
import http2 from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

interface Context {
  server: TestServer;
  session: http2.ClientHttp2Session;
}

const documents = suite<Context>('documents that have not changed');
documents.before(async (context) => {
  context.server = await startServer({ dialect: 'kubernetes' });
  context.session = http2.connect(context.server.url, { ca: authority(context.server) });
});
documents.after(async ({ server, session }) => {
  session.destroy();
  await server.stop();
});

async function get({ server, session }: Context, path: string, more: object = {}): Promise<http2.IncomingHttpHeaders & { body: string }> {
  const stream = session.request({ ':path': path, authorization: `Bearer ${server.tokens.admin}`, ...more });
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
  });
  return { ...headers, body: Buffer.concat(await stream.toArray()).toString() };
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const paths: [path: string, accept: string][] = [
  ['/openapi/v2', 'application/json'],
  ['/openapi/v3/apis/coordination.k8s.io/v1', 'application/json'],
  ['/apis', AGGREGATED],
];
for (const [path, accept] of paths)
  documents(`${path} is not sent again`, async (context) => {
    const first = await get(context, path, { accept });
    assert.is(first[':status'], 200);
    assert.ok(first.body.length > 100);
    const again = await get(context, path, { accept, 'if-none-match': first.etag });
    assert.is(again[':status'], 304);
    assert.is(again.etag, first.etag);
    assert.is(again.body, '');
    assert.not.match(context.server.log(), /could not be finished/);
  });
documents.run();
