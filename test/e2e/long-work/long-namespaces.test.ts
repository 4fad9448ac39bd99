/** Pods of namespaces that take long to be read: plugins that look at the namespace judge them as others, and nobody is asked or told twice. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answering, hookTo } from '../../admission/webhooked-server.ts';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

for (const [name, plugins, selectors] of [
  [
    'that a mutating plugin and the webhooks look at',
    ['--enable-admission-plugins=PodNodeSelector'],
    { namespaceSelector: { matchLabels: { 'label-1': 'v' } } },
  ],
  ['that pod security alone looks at', [], {}],
] as const) {
  const test = suite(`pods of long namespaces ${name}`);
  let server: TestServer;
  let client: Client;
  let webhook: ConversionWebhook;

  test.before(async () => {
    webhook = await new ConversionWebhook().start();
    const flags = ['--disable-admission-plugins=ServiceAccount', ...plugins, '--allow-privileged', '--controllers=-*'];
    server = await startServer({ dialect: 'kubernetes', flags });
    client = new Client(server);
    const labels = {
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`label-${index}`, 'v'])),
      'pod-security.kubernetes.io/enforce': 'baseline',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'disk=fast' };
    const made = await client.post('/api/v1/namespaces', { metadata: { name: 'long', labels, annotations } });
    assert.is(made.status, 201, made.text.slice(0, 500));
    for (const kind of ['Mutating', 'Validating']) {
      const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
      const body = {
        metadata: { name: 'hooks' },
        webhooks: [hookTo(webhook, { rules, ...selectors, name: `${kind.toLowerCase()}.example.com` })],
      };
      const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
      assert.is((await client.post(path, body)).status, 201);
    }
  });
  test.before.each(() => {
    webhook.reply = answering({ warnings: ['told once'] });
    webhook.asked.length = 0;
  });
  test.after(async () => {
    await server.stop();
    await webhook.stop();
  });

  const pod = (name: string, others: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', ...others }] } });
  const PODS = '/api/v1/namespaces/long/pods';

  test('are made, with what the namespace wants of them', async () => {
    const answer = await client.post(PODS, pod('good'));
    assert.is(answer.status, 201, answer.text);
    assert.equal(JSON.parse(answer.text).spec.nodeSelector, plugins.length > 0 ? { disk: 'fast' } : undefined);
    const warnings = String(answer.headers.warning).split(/, (?=299)/);
    assert.equal([warnings.length, new Set(warnings).size], [2, 2], String(answer.headers.warning));
  });

  test('are refused where they break its level', async () => {
    const answer = await client.post(PODS, pod('bad', { securityContext: { privileged: true } }));
    assert.is(answer.status, 403, answer.text);
    assert.match(answer.text, 'violates PodSecurity');
  });

  test('have webhooks asked once', async () => {
    assert.is((await client.post(PODS, pod('once'))).status, 201);
    assert.is(webhook.asked.length, 2);
  });

  test.run();
}
