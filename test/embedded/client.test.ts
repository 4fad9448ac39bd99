/** What the client of an embedded server does: who it is, what it sends, hears and gives up. */
import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, startServer } from '../../runtime/embedded/start-server.ts';
import { usedHeap } from '../harness/heap.ts';
import { MAPS, map } from './servers.ts';

// before the suite runs: it would begin while this waits
const shared = await startServer({ dialect: 'kubernetes' });

const clients = suite('a client of an embedded server');
clients.after(() => shared.stop());
clients('is the administrator by the certificate', async () => {
  const { server, certificateAuthority: ca, clientCertificate: cert, clientKey: key } = shared.clientConfig;
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  get(new URL('/api/v1/nodes', server), { ca, cert, key, agent: false }, (answer) => resolve(answer.resume().statusCode)).on(
    'error',
    reject,
  );
  assert.is(await promise, 200);
});
const who = async (init: RequestInit): Promise<{ username: string; groups: string[] }> => {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const answer = await shared.client.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, headers });
  return ((await answer.json()) as { status: { userInfo: { username: string; groups: string[] } } }).status.userInfo;
};
clients('is the administrator by the token', async () => {
  const { username, groups } = await who({});
  assert.is(username, 'kubernetes-admin');
  assert.equal(groups, ['system:masters', 'system:authenticated']);
});
clients('may be another user', async () =>
  assert.is((await who({ headers: { 'impersonate-user': 'alice', 'impersonate-group': 'system:authenticated' } })).username, 'alice'),
);
clients('reads the configuration as libraries do', async () => {
  const config = new KubeConfig();
  config.loadFromString(shared.clientConfig.kubeconfig);
  const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
  assert.ok(items.some(({ metadata }) => metadata?.name === 'kube-system'));
});
clients('hears why a request is refused', async () => {
  try {
    await shared.client.request('GET', `${MAPS}/none`);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ApiError);
    const { code, reason, message } = error as ApiError;
    assert.equal({ code, reason, message }, { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' });
  }
});
clients('sees changes as they come, until it has seen enough', async () => {
  const enough = new AbortController();
  const watch = await shared.client.fetch(`${MAPS}?watch=1&fieldSelector=metadata.name=seen`, { signal: enough.signal });
  const events = (watch.body as ReadableStream<Uint8Array>).getReader();
  await shared.client.request('POST', MAPS, map('seen'));
  const { value } = await events.read();
  assert.is(JSON.parse(Buffer.from(value as Uint8Array).toString()).object.metadata.name, 'seen');
  enough.abort();
  const ended = await events.read().then(
    () => 'read on',
    (error: Error) => error.name,
  );
  assert.is(ended, 'AbortError');
});
clients('sends no body that its signal has given up, and takes no more of it', async () => {
  const reason = new Error('given up');
  const [leaving, begun, cancelled] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  const pull = () => {
    begun.resolve();
    return new Promise<void>(() => {});
  };
  const body = new ReadableStream({ pull, cancel: cancelled.resolve }, { highWaterMark: 0 });
  const asked = shared.client.fetch(MAPS, { method: 'POST', body, duplex: 'half', signal: leaving.signal } as RequestInit);
  const refused = asked.catch((error: unknown) => error);
  await begun.promise;
  leaving.abort(reason);
  assert.is(await refused, reason);
  assert.is(await cancelled.promise, reason);
  for (const late of [new ReadableStream({ pull }), new ReadableStream({ pull: () => Promise.reject(new Error('no more')) })]) {
    const init = { method: 'POST', body: late, duplex: 'half', signal: leaving.signal } as RequestInit;
    assert.is(await shared.client.fetch(MAPS, init).catch((error: unknown) => error), reason);
  }
});
clients('sends a body that comes in pieces', async () => {
  const text = JSON.stringify(map('pieces'));
  const body = ReadableStream.from([text.slice(0, 9), text.slice(9)].map((piece) => Buffer.from(piece)));
  const headers = { 'content-type': 'application/json' };
  const answer = await shared.client.fetch(MAPS, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  assert.is(answer.status, 201);
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error('no more')) });
  const refused = shared.client.fetch(MAPS, { method: 'POST', headers, body: broken, duplex: 'half' } as RequestInit);
  assert.is(await refused.catch(({ message }: Error) => message), 'no more');
});
clients('ends a watch by its signal, however long it has lasted', async () => {
  const enough = new AbortController();
  const watch = await shared.client.fetch(`${MAPS}?watch=1&fieldSelector=metadata.name=none`, { signal: enough.signal });
  // what only weak references keep is gone
  await sleep(0);
  usedHeap();
  const reason = new Error('given up');
  enough.abort(reason);
  assert.is(await watch.text().catch((error: unknown) => error), reason);
});
clients('patches and deletes', async () => {
  await shared.client.request('POST', MAPS, map('short'));
  const { data } = await shared.client.request('PATCH', `${MAPS}/short`, { data: { a: '1' } });
  assert.equal(data, { a: '1' });
  assert.is((await shared.client.request('DELETE', `${MAPS}/short`)).status, 'Success');
});
clients.run();
