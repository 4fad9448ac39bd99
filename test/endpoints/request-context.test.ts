import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../generated/flags.ts';
import { metricsData } from '../../generated/metrics.ts';
import type { Admission, AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import type { Authenticator } from '../../runtime/authentication/authenticator.ts';
import { createApp } from '../../runtime/chain/chain.ts';
import { ClientRequest } from '../../runtime/endpoints/request/client-request.ts';
import { Negotiator } from '../../runtime/negotiation/negotiation.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { WatchHub } from '../../runtime/registry/watch/watch-hub.ts';
import { createOutbound } from '../../runtime/relay/outbound.ts';
import { parseFlags } from '../../runtime/server/flags/flags.ts';
import { newTimeout, StatusError } from '../../runtime/status/status.ts';
import type { Storage } from '../../runtime/storage/storage.ts';
import { TestCluster } from '../controllers/server.ts';
import { identity } from '../kinds/context.ts';

const USER = { name: 'alice', uid: '7', groups: ['system:authenticated'], extra: {} };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
  readonly body: any;
}

/** A server whose admission is a test's own. */
class Asked {
  readonly cluster: TestCluster;
  readonly seen: (AdmissionAttributes & { readonly phase: 'mutate' | 'validate' })[] = [];
  barrier: (() => Promise<void>) | undefined;
  /** called in the mutating phase */
  meanwhile: (attributes: AdmissionAttributes) => Promise<void> = async () => {};
  readonly #listener: http.Server;

  private constructor(cluster: TestCluster, requestTimeout: number) {
    this.cluster = cluster;
    const admission: Admission = {
      mutate: (attributes) => {
        this.seen.push({ ...attributes, phase: 'mutate' });
        return this.meanwhile(attributes);
      },
      validate: async (attributes) => void this.seen.push({ ...attributes, phase: 'validate' }),
    };
    const { registry } = cluster.server;
    const storage: Storage = new Proxy(cluster.server.storage, {
      get: (target, name) => (name === 'barrier' ? () => this.barrier?.() : bound(target, Reflect.get(target, name, target))),
    });
    const server = {
      ...cluster.server,
      storage,
      admission,
      negotiator: new Negotiator(identity),
      watchHub: new WatchHub(storage),
      metrics: new Metrics(metricsData),
      transportSecurity: '',
      // no other server answers anything
      aggregation: { versions: { forPath: () => undefined } } as never,
      latestRegistry: () => registry.current,
      authorizer: {
        authorize: () => ({ decision: 'allow' as const, reason: '' }),
        rules: () => Promise.reject(new Error('nobody asks for rules')),
      },
      outbound: createOutbound(parseFlags([], flagsData, identity).values),
    };
    const authenticator = { authenticate: () => USER } as unknown as Authenticator;
    const app = createApp({ server, authenticator, health: { of: () => [] }, requestTimeout });
    this.#listener = http.createServer(app.callback());
  }

  static async create(requestTimeout = 60_000): Promise<Asked> {
    const asked = new Asked(await TestCluster.create(), requestTimeout);
    await once(asked.#listener.listen(0, '127.0.0.1'), 'listening');
    return asked;
  }

  async close(): Promise<void> {
    this.#listener.closeAllConnections();
    this.#listener.close();
    await this.cluster.remove();
  }

  get first(): AdmissionAttributes {
    const [first] = this.seen;
    if (first === undefined) throw new Error('admission was not asked');
    return first;
  }

  async request(method: string, path: string, body?: object, type = 'application/json'): Promise<Answer> {
    const { port } = this.#listener.address() as AddressInfo;
    const init = { method, headers: { 'content-type': type, 'user-agent': 'tester/1', connection: 'close' } };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  }
}

const bound = (target: object, member: unknown): unknown => (typeof member === 'function' ? member.bind(target) : member);

const test = suite('the context of a request');
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

test('reaches admission with all that is known of the request', async () => {
  const asked = await Asked.create();
  try {
    await asked.request('POST', `${MAPS}?dryRun=All&fieldManager=me&fieldValidation=Strict`, { metadata: { name: 'a' } });
    const { request, user, kind, resource, options, name, namespace, object, old } = asked.first;
    assert.equal([request.user, user, request.verb, request.version], [USER, USER, 'create', 'v1']);
    assert.equal([kind.kind, kind.apiVersion, resource.data.name, name, namespace], ['ConfigMap', 'v1', 'configmaps', 'a', 'default']);
    assert.equal([options.dryRun, options.fieldManager, options.fieldValidation], [true, 'me', 'Strict']);
    assert.equal([object?.metadata.name, old], ['a', undefined]);
  } finally {
    await asked.close();
  }
});

type Row = readonly [what: string, method: string, path: string, body: object | undefined, seen: readonly string[], type?: string];
const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'b' } };
const rows: readonly Row[] = [
  ['a create', 'POST', MAPS, map, ['mutate create configmaps ConfigMap b', 'validate create configmaps ConfigMap b']],
  [
    'an update',
    'PUT',
    `${MAPS}/b`,
    { ...map, data: { a: 'b' } },
    ['mutate update configmaps ConfigMap b', 'validate update configmaps ConfigMap b'],
  ],
  [
    'a patch',
    'PATCH',
    `${MAPS}/b`,
    { data: { c: 'd' } },
    ['mutate update configmaps ConfigMap b', 'validate update configmaps ConfigMap b'],
    'application/merge-patch+json',
  ],
  [
    'an apply that creates',
    'PATCH',
    `${MAPS}/c?fieldManager=me`,
    { ...map, metadata: { name: 'c' } },
    ['mutate create configmaps ConfigMap c', 'validate create configmaps ConfigMap c'],
    'application/apply-patch+yaml',
  ],
  ['a delete', 'DELETE', `${MAPS}/b`, undefined, ['mutate delete configmaps ConfigMap b', 'validate delete configmaps ConfigMap b']],
  ['a delete of a collection', 'DELETE', MAPS, undefined, ['mutate delete configmaps ConfigMap ', 'validate delete configmaps ConfigMap ']],
  [
    'a binding',
    'POST',
    `${PODS}/p/binding`,
    { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
    ['mutate create pods/binding Binding p', 'validate create pods/binding Binding p'],
  ],
  [
    'a connection',
    'GET',
    `${PODS}/p/exec?command=ls&stdout=1`,
    undefined,
    ['mutate connect pods/exec PodExecOptions p', 'validate connect pods/exec PodExecOptions p'],
  ],
  [
    'a proxy',
    'GET',
    `${PODS}/p/proxy/x`,
    undefined,
    ['mutate connect pods/proxy PodProxyOptions p', 'validate connect pods/proxy PodProxyOptions p'],
  ],
  [
    'a review',
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    [
      'mutate create selfsubjectaccessreviews SelfSubjectAccessReview ',
      'validate create selfsubjectaccessreviews SelfSubjectAccessReview ',
    ],
  ],
  [
    'an eviction',
    'POST',
    `${PODS}/p/eviction`,
    { metadata: { name: 'p' } },
    ['mutate create pods/eviction Eviction p', 'validate create pods/eviction Eviction p'],
  ],
  ['a get', 'GET', `${PODS}/p`, undefined, []],
];

test('each verb is seen in both phases, in the order of its steps', async () => {
  const asked = await Asked.create();
  try {
    await asked.cluster.create('v1', 'pods', {
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    for (const [what, method, path, body, expected, type] of rows) {
      asked.seen.length = 0;
      await asked.request(method, path, body, type);
      const told = asked.seen.map(({ phase, operation, resource, subresource, kind, name }) => {
        const target = subresource === '' ? resource.data.name : `${resource.data.name}/${subresource}`;
        return `${phase} ${operation} ${target} ${kind.kind} ${name}`;
      });
      assert.equal(told, expected, what);
    }
  } finally {
    await asked.close();
  }
});

test('its deadline stops the work: nothing is written behind the answer that it took too long', async () => {
  const asked = await Asked.create(20);
  try {
    const waited: unknown[] = [];
    asked.meanwhile = async ({ request }) => {
      if (!request.signal.aborted) await once(request.signal, 'abort');
      waited.push(request.signal.reason.code);
    };
    const answer = await asked.request('POST', MAPS, { metadata: { name: 'late' } });
    assert.equal([answer.status, answer.body.reason, waited], [504, 'Timeout', [504]]);
    assert.equal(
      asked.seen.map(({ phase }) => phase),
      ['mutate'],
    );
    assert.equal(asked.cluster.objects('configmaps/'), []);
  } finally {
    await asked.close();
  }
});

test('admission may warn the client and note something for audit', async () => {
  const asked = await Asked.create();
  try {
    asked.meanwhile = async ({ request }) => {
      request.warn?.('mind the gap');
      request.annotate('a.example/b', 'first');
      request.annotate('a.example/b', 'second');
      assert.equal([...(request as ClientRequest).annotations], [['a.example/b', 'first']]);
    };
    const answer = await asked.request('POST', MAPS, { metadata: { name: 'w' } });
    assert.equal([answer.status, answer.headers.get('warning')], [201, '299 - "mind the gap"']);
    const { request } = asked.first;
    assert.equal([...(request as ClientRequest).timings.keys()], ['admission', 'etcd']);
  } finally {
    await asked.close();
  }
});

test('what must be most recent waits once for all that was written, before anything is looked at', async () => {
  const asked = await Asked.create();
  try {
    let barriers = 0;
    asked.barrier = async () => {
      await asked.cluster.create('v1', 'configmaps', { metadata: { name: `far-${++barriers}`, namespace: 'default' } });
    };
    const rows: readonly [query: string, status: number, barriers: number][] = [
      ['/far-1?resourceVersion=0', 404, 0],
      ['/far-1', 200, 1],
      ['/far-1?resourceVersion=1', 200, 1],
      ['?limit=1', 200, 2],
      ['/far-3?resourceVersion=', 200, 3],
      ['?resourceVersion=&limit=1', 200, 4],
    ];
    for (const [query, status, waited] of rows)
      assert.equal([(await asked.request('GET', MAPS + query)).status, barriers], [status, waited], query);
    await asked.request('GET', '/version');
    assert.is(barriers, 4);
    asked.barrier = () => Promise.reject(new StatusError(newTimeout('the log is far away').status));
    assert.is((await asked.request('GET', MAPS)).status, 504);
  } finally {
    await asked.close();
  }
});

test('its deadline covers the wait for a view that is recent enough', async () => {
  const asked = await Asked.create(50);
  try {
    asked.barrier = () => new Promise(() => {});
    const { status, body } = await asked.request('GET', MAPS);
    assert.equal([status, body.reason], [504, 'Timeout']);
  } finally {
    await asked.close();
  }
});

test('its signal is made when it is asked for, and aborted with the first reason', () => {
  const request = new ClientRequest('id', { res: new http.ServerResponse(new http.IncomingMessage(null as never)) } as never);
  assert.not.throws(() => request.throwIfOver());
  const reason = newTimeout('over');
  request.end(reason);
  request.end(newTimeout('again'));
  assert.equal([request.signal.aborted, request.signal.reason, request.isOver], [true, reason, true]);
  assert.throws(() => request.throwIfOver(), /over/);
});

test('it is over where its client has gone, though nobody has asked for its signal', () => {
  const response = new http.ServerResponse(new http.IncomingMessage(null as never));
  const request = new ClientRequest('id', { res: response } as never);
  response.destroy();
  assert.throws(
    () => request.throwIfOver(),
    (error: unknown) => error instanceof StatusError,
  );
  // what is done behind an answer goes on
  request.answer.sendEmpty(200);
  assert.not.throws(() => request.throwIfOver());
});

test.run();
