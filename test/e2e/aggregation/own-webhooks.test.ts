/** Webhooks that aggregated servers answer: they are named by the service of the server in front, which asks itself, and leads its question on. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AggregatedServer, Authorities, json } from '../../aggregation/aggregated-server.ts';
import { ok } from '../../aggregation/lamp-cluster.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const DIALECTS = ['kubernetes', 'cluster'] as const;
const GROUP_DOMAINS = { kubernetes: 'k8s.io', cluster: 'cluster.io' };
const GROUP = 'reviews.example';
const REVIEWS = `/apis/${GROUP}/v1/reviews`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const test = suite('webhooks of aggregated servers');
const endings: (() => Promise<void>)[] = [];
test.after.each(async () => endings.pop()?.());

for (const dialect of DIALECTS)
  test(`are asked by the server as itself (${dialect})`, async () => {
    const authorities = new Authorities();
    const reviewer = await new AggregatedServer(authorities, 'reviewer.default.svc').start();
    const policy = authorities.ssl.write(
      'policy.yaml',
      `{ apiVersion: audit.${GROUP_DOMAINS[dialect]}/v1, kind: Policy, rules: [{ level: Metadata }] }`,
    );
    const log = `${policy}.log`;
    const server = await startServer({
      dialect,
      flags: [
        ...authorities.flags,
        '--service-cluster-ip-range=10.99.0.0/16',
        '--requestheader-username-headers=X-Remote-User',
        '--workers=2',
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${log}`,
      ],
      preload: path.join(import.meta.dirname, '../../harness/pod-network.ts'),
    });
    const admin = new Client(server);
    const alice = new Client(server, server.tokens.alice);
    endings.push(async () => {
      alice.close();
      admin.close();
      await server.stop();
      await reviewer.stop();
    });
    reviewer.answers[`/apis/${GROUP}/v1`] = (_, response) =>
      json(response, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1`, resources: [] });
    reviewer.answers[REVIEWS] = (_, response, { body }) => {
      const { apiVersion, kind, request } = JSON.parse(body);
      json(response, { apiVersion, kind, response: { uid: request.uid, allowed: false, status: { message: 'not here' } } });
    };
    const ports = [{ name: 'https', port: reviewer.port }];
    const named = { metadata: { name: 'reviewer' } };
    await ok(admin.post('/api/v1/namespaces/default/services', { ...named, spec: { ports } }));
    await ok(admin.post('/api/v1/namespaces/default/endpoints', { ...named, subsets: [{ addresses: [{ ip: '10.99.7.7' }], ports }] }));
    const apiServices = admin.name('/apis/apiregistration.${groupDomain}/v1/apiservices');
    const service = { namespace: 'default', name: 'reviewer', port: reviewer.port };
    await ok(
      admin.post(apiServices, {
        metadata: { name: `v1.${GROUP}` },
        spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 2000, versionPriority: 15, caBundle: authorities.caBundle, service },
      }),
    );
    for (let i = 0; (await ok(admin.get(`${apiServices}/v1.${GROUP}`))).status?.conditions?.[0]?.reason !== 'Passed'; i++) {
      assert.ok(i < 200, 'the APIService is not available');
      await sleep(50);
    }
    const own = { namespace: 'default', name: admin.name('${defaultService}') };
    const webhook = (name: string, clientConfig: object) => ({
      name: `${name}.example.com`,
      // that of nobody who is asked here
      clientConfig: { ...clientConfig, caBundle: Buffer.from(authorities.proxies.certificate).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      objectSelector: { matchLabels: { by: name } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    });
    await ok(
      admin.post(admin.name('/apis/admissionregistration.${groupDomain}/v1/validatingwebhookconfigurations'), {
        metadata: { name: 'reviewed' },
        webhooks: [
          webhook('service', { service: { ...own, path: REVIEWS } }),
          webhook('url', { url: `https://${own.name}.default.svc${REVIEWS}` }),
        ],
      }),
    );
    const create = (by: string, data = {}) => {
      // each on a connection of its own, so that every process has its turn
      const client = new Client(server);
      return client.post(CONFIG_MAPS, { metadata: { generateName: 'a-', labels: { by } }, data }).finally(() => client.close());
    };
    for (let i = 0; (await create('service')).status < 300; i++) {
      assert.ok(i < 100, 'the webhook is not asked');
      await sleep(50);
    }
    await sleep(500);
    reviewer.asked.length = 0;
    const refused: [answer: Json, by: string][] = [];
    for (const by of ['service', 'url', 'service', 'url', 'service', 'url']) refused.push([await create(by), by]);
    // read by another thread
    refused.push([await create('service', { long: 'x'.repeat(900_000), others: 'y'.repeat(100_000) }), 'service']);
    for (const [{ status, text }, by] of refused) {
      assert.is(status, 400, text);
      assert.match(text, `admission webhook \\"${by}.example.com\\" denied the request: not here`);
    }
    const reviews = reviewer.asked.filter(({ url }) => url.startsWith(REVIEWS));
    assert.is(reviews.length, refused.length);
    for (const { headers, raw, client } of reviews) {
      assert.equal(
        [headers['x-remote-user'], headers['user-agent'], client],
        ['system:apiserver', 'Go-http-client/1.1', 'front-proxy-client'],
      );
      const groups = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === 'x-remote-group');
      assert.equal(groups, ['system:authenticated', 'system:masters']);
      assert.is(headers.authorization, undefined);
    }
    const forged = { 'x-remote-user': 'system:apiserver', 'x-remote-group': 'system:masters', host: `${own.name}.default.svc:443` };
    assert.is((await alice.post(REVIEWS, {}, forged)).status, 403);
    await sleep(300);
    const events = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ofReviews = events.filter(({ requestURI, verb }) => verb === 'create' && requestURI.startsWith(REVIEWS));
    const asItself = ofReviews.filter(({ user }) => user.username === 'system:apiserver');
    assert.ok(asItself.length >= refused.length);
    for (const { sourceIPs } of asItself) assert.equal(sourceIPs, ['127.0.0.1']);
    assert.equal(server.faults(), []);
    const began = performance.now();
    assert.is(await server.stop(), 0, server.log());
    assert.ok(performance.now() - began < 8_000, 'connections to itself hold the server up');
  });

test.run();
