/** Pod security through a whole server: what is refused, warned of and let through, whoever writes and however. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

for (const [dialect, domain, created] of [
  ['kubernetes', 'kubernetes.io', 201],
  ['cluster', 'cluster.io', 200],
] as const) {
  const test = suite(`pod security, ${dialect}`);
  let server: TestServer;
  let client: Client;
  test.before(async () => {
    const flags = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged', '--controllers=-*'];
    server = await startServer({ dialect, flags });
    client = new Client(server);
  });
  test.after(async () => void (await server.stop()));

  const bad = { name: 'c', image: 'i', securityContext: { privileged: true } };
  const DETAIL = 'privileged (container "c" must not set securityContext.privileged=true)';
  const label = (name: string) => `pod-security.${domain}/${name}`;
  const pod = (name: string, containers: readonly object[] = [{ name: 'c', image: 'i' }]) => ({ metadata: { name }, spec: { containers } });
  const path = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
  const namespace = async (name: string, labels: object = {}): Promise<void> => {
    const made = await client.post('/api/v1/namespaces', { metadata: { name, labels } });
    assert.is(made.headers.warning, undefined, made.text);
  };

  test('a pod that breaks its level is refused, in a dry run too, and by its generated name', async () => {
    await namespace('strict', { [label('enforce')]: 'baseline' });
    for (const [made, query] of [
      [pod('x', [bad]), ''],
      [pod('x', [bad]), '?dryRun=All'],
      [{ metadata: { generateName: 'x' }, spec: { containers: [bad] } }, ''],
    ] as const) {
      const answer = await client.post(`${path('strict')}${query}`, made);
      assert.is(answer.status, 403, answer.text);
      assert.match(answer.text, JSON.stringify(`is forbidden: violates PodSecurity "baseline:latest": ${DETAIL}`).slice(1, -1));
      assert.match(answer.text, query === '' && 'generateName' in made.metadata ? /pods \\"x[a-z0-9]{5}\\" is/ : /pods \\"x\\" is/);
    }
    assert.is((await client.get(`${path('strict')}/x`)).status, 404);
  });

  test('a container for looking into a pod keeps to the level as well', async () => {
    assert.is((await client.post(path('strict'), pod('fine'))).status, created);
    const debug = (securityContext: object) =>
      client.patch(`${path('strict')}/fine/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ name: 'c2', image: 'i', securityContext }] },
      });
    const refused = await debug({ privileged: true });
    assert.is(refused.status, 403, refused.text);
    assert.match(refused.text, /privileged \(container \\"c2\\" must not/);
    assert.is((await debug({})).status, 200);
  });

  test('a namespace that begins to enforce hears of its pods, whatever it writes, and refuses none of them that stay as they are', async () => {
    await namespace('late');
    for (let index = 0; index < 40; index++) assert.is((await client.post(path('late'), pod(`p${index}`, [bad]))).status, created);
    assert.is((await client.post(path('late'), pod('good'))).status, created);
    const enforcing = { metadata: { labels: { [label('enforce')]: 'baseline' } } };
    const warning =
      '299 - "existing pods in namespace \\"late\\" violate the new PodSecurity enforce level \\"baseline:latest\\"", ' +
      '299 - "p0 (and 39 other pods): privileged"';
    const dry = await client.patch('/api/v1/namespaces/late?dryRun=All', enforcing);
    assert.is(dry.headers.warning, warning);
    assert.is((await client.post(path('late'), pod('between', [bad]))).status, created);
    assert.is((await client.delete(`${path('late')}/between`)).status, 200);
    assert.is((await client.patch('/api/v1/namespaces/late', enforcing)).headers.warning, warning);
    assert.is((await client.patch('/api/v1/namespaces/late', { metadata: { labels: { other: 'x' } } })).headers.warning, undefined);
    assert.is((await client.patch(`${path('late')}/p1`, { metadata: { labels: { a: 'b' } } })).status, 200);
    const image = await client.patch(
      `${path('late')}/p1`,
      { spec: { containers: [{ name: 'c', image: 'j' }] } },
      'application/strategic-merge-patch',
    );
    assert.is(image.status, 403, image.text);
  });

  test('what makes pods is warned of and never refused', async () => {
    await namespace('workloads', { [label('enforce')]: 'restricted', [label('warn')]: 'baseline' });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [bad] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const made = await client.post('/apis/apps/v1/namespaces/workloads/deployments', { metadata: { name: 'd' }, spec });
    assert.is(made.status, created, made.text);
    assert.is(made.headers.warning, `299 - ${JSON.stringify(`would violate PodSecurity "baseline:latest": ${DETAIL}`)}`);
    const job = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    const cron = { metadata: { name: 'c' }, spec: { schedule: '@daily', jobTemplate: { spec: { template: job } } } };
    const planned = await client.post('/apis/batch/v1/namespaces/workloads/cronjobs', cron);
    assert.is(planned.status, created, planned.text);
    assert.match(String(planned.headers.warning), 'would violate PodSecurity');
  });

  test('labels that say nothing are refused', async () => {
    const labels = { [label('warn')]: 'x', [label('enforce-version')]: '1.2' };
    const answer = await client.post('/api/v1/namespaces', { metadata: { name: 'wrong', labels } });
    assert.is(answer.status, 422, answer.text);
    assert.equal(
      JSON.parse(answer.text).details.causes.map(({ field }: { field: string }) => field),
      [`metadata.labels[${label('enforce-version')}]`, `metadata.labels[${label('warn')}]`],
    );
  });

  test.run();
}
