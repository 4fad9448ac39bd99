import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiServer } from '../../runtime/assembly/parts/api-server.ts';
import { ApiApplication } from '../../runtime/chain/application.ts';
import { resourceHandler } from '../../runtime/endpoints/handlers/resource.ts';
import { ClientRequest } from '../../runtime/endpoints/request/client-request.ts';
import { resolveRequestInfo } from '../../runtime/endpoints/request/request-info.ts';
import { Negotiator } from '../../runtime/negotiation/negotiation.ts';
import { WatchHub } from '../../runtime/registry/watch/watch-hub.ts';
import { TestCluster } from '../controllers/server.ts';
import { identity } from '../kinds/context.ts';

const test = suite('watches');

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
});
test.after(() => cluster.remove());

const configmap = (name: string) => cluster.create('v1', 'configmaps', { metadata: { name, namespace: 'default' } });

/** A server whose store shows no writes, as if another process had them still before it, until `reached` says that it is time. */
function writtenBy(reached: () => boolean): ApiServer {
  const { storage } = cluster.server;
  const before = storage.currentRevision();
  const hiding = new Proxy(storage, {
    get: (target, name) => (name === 'currentRevision' && !reached() ? () => before : bound(target, Reflect.get(target, name, target))),
  });
  return { ...cluster.server, storage: hiding, negotiator: new Negotiator(identity), watchHub: new WatchHub(storage) };
}

const bound = (target: object, member: unknown): unknown => (typeof member === 'function' ? member.bind(target) : member);

test('one from now on tells of what another process writes as soon as the client knows that it watches', async () => {
  let headSent = false;
  const server = writtenBy(() => headSent);
  await configmap('written-meanwhile');
  const app = new ApiApplication();
  app.use((context) => {
    const { res } = context;
    const flushHeaders = res.flushHeaders.bind(res);
    res.flushHeaders = () => {
      flushHeaders();
      headSent = true;
    };
    const request = new ClientRequest('id', context);
    request.info = resolveRequestInfo(context.method, context.url);
    request.registry = server.registry.current;
    context.state = request;
    return resourceHandler(server)(context);
  });
  const listener = app.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const query = 'watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=2';
  const request = http.get({ port, host: '127.0.0.1', path: `/api/v1/namespaces/default/configmaps?${query}` });
  try {
    const [response] = await once(request, 'response');
    assert.is(response.statusCode, 200);
    let text = '';
    for await (const part of response.setEncoding('utf8')) {
      text += part;
      if (text.endsWith('\n')) break;
    }
    assert.match(text, /^{"type":"ADDED",.*"name":"written-meanwhile"/);
  } finally {
    request.destroy();
    server.watchHub.close();
    listener.close();
  }
});

test.run();
