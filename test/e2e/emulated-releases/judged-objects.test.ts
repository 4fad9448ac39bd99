/** Rules judge what a client of an earlier release has sent, whatever of it the version could say that the release stores. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type EmulatingServer, withServer } from './server.ts';

const test = suite('objects that earlier releases judge');

const AUTOSCALERS = '/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers';
const autoscaler = (spec: object) => ({
  apiVersion: 'autoscaling/v2beta2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 5, ...spec },
});
const metric = (name: string, target: object) => ({ type: 'Resource', resource: { name, target } });
const causesOf = ({ status, body }: Answer): unknown =>
  status === 422 ? body.details.causes.map(({ field, message }: Record<string, string>) => `${field}: ${message}`) : status;

const half = metric('cpu', { type: 'Utilization', averageUtilization: 50 });
const WRONG: readonly [label: string, spec: object, cause: string][] = [
  [
    'a target of no type',
    { metrics: [metric('cpu', { type: 'Least', averageUtilization: 5 })] },
    'spec.metrics[0].resource.target.type: Invalid value: "Least": must be either Utilization, Value, or AverageValue',
  ],
  [
    'no policies',
    { behavior: { scaleUp: { policies: [] } } },
    'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy',
  ],
  [
    'a wrong metric that is stored before its neighbour',
    { metrics: [half, metric('memory', { type: 'Utilization', averageUtilization: 0 })] },
    'spec.metrics[1].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
  ],
];

const WRITES: Readonly<Record<string, (server: EmulatingServer, spec: object) => Promise<Answer>>> = {
  create: (server, spec) => server.call('POST', `${AUTOSCALERS}?dryRun=All`, autoscaler(spec)),
  update: (server, spec) => server.call('PUT', `${AUTOSCALERS}/a`, autoscaler(spec)),
  patch: (server, spec) => server.call('PATCH', `${AUTOSCALERS}/a`, { spec }, { 'content-type': 'application/merge-patch+json' }),
  apply: (server, spec) =>
    server.call('PATCH', `${AUTOSCALERS}/a?fieldManager=m&force=true`, autoscaler(spec), {
      'content-type': 'application/apply-patch+yaml',
    }),
};

for (const [label, spec, cause] of WRONG)
  test(`autoscalers with ${label} are refused in 1.20`, () =>
    withServer('1.20', {}, async (server) => {
      assert.is((await server.call('POST', AUTOSCALERS, autoscaler({}))).status, 201);
      for (const [name, write] of Object.entries(WRITES)) assert.equal(causesOf(await write(server, spec)), [cause], name);
    }));

test('answers to writes, dry ones too, have the order in which metrics are stored, and what changes nothing is not stored again', () =>
  withServer('1.20', {}, async (server) => {
    const metrics = [half, metric('memory', { type: 'AverageValue', averageValue: '5' })];
    const namesIn = ({ body }: Answer) => body.spec.metrics.map(({ resource }: { resource: { name: string } }) => resource.name);
    assert.equal(namesIn(await server.call('POST', `${AUTOSCALERS}?dryRun=All`, autoscaler({ metrics }))), ['memory', 'cpu']);
    const made = await server.call('POST', AUTOSCALERS, autoscaler({ metrics }));
    assert.equal(namesIn(made), ['memory', 'cpu']);
    const updated = await server.call('PUT', `${AUTOSCALERS}/a`, autoscaler({ metrics }));
    assert.equal([namesIn(updated), updated.body.metadata.resourceVersion], [['memory', 'cpu'], made.body.metadata.resourceVersion]);
  }));

for (const release of ['1.16', '1.20', '1.31'])
  test(`an annotation that is no number of template generations cannot be read in ${release}`, () =>
    withServer(release, {}, async (server) => {
      const { status, body } = await server.call('POST', '/apis/apps/v1/namespaces/default/daemonsets', {
        metadata: { name: 'd', annotations: { 'deprecated.daemonset.template.generation': 'None' } },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      });
      const problem = 'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "None": invalid syntax';
      assert.equal([status, body.message], [400, problem]);
    }));

test('a driver that is sent as it was read is not stored again in 1.16', () =>
  withServer('1.16', {}, async (server) => {
    const drivers = '/apis/storage.k8s.io/v1beta1/csidrivers';
    const made = await server.call('POST', drivers, { metadata: { name: 'a' } });
    const updated = await server.call('PUT', `${drivers}/a`, made.body);
    assert.equal([made.status, updated.status, updated.body.metadata], [201, 200, made.body.metadata]);
  }));

test('requests for certificates of v1beta1 have default usages where they name none, and need one where they have a list', () =>
  withServer('1.20', {}, async (server) => {
    const request = (usages: readonly string[] | undefined) =>
      server.call('POST', '/apis/certificates.k8s.io/v1beta1/certificatesigningrequests?dryRun=All', {
        metadata: { name: 'r' },
        spec: { request: '', usages },
      });
    const problem = 'spec.request: Invalid value: []byte{}: PEM block type must be CERTIFICATE REQUEST';
    assert.equal(causesOf(await request(undefined)), [problem]);
    assert.equal(causesOf(await request([])), [problem, 'spec.usages: Required value']);
  }));

test('a network policy of an earlier release counts an empty list that is sent as a change', () =>
  withServer('1.20', {}, async (server) => {
    const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
    const policy = { metadata: { name: 'a' }, spec: { podSelector: {}, ingress: [] } };
    const answers = [await server.call('POST', policies, policy), await server.call('PUT', `${policies}/a`, policy)];
    const generations = answers.map(({ body }) => body.metadata.generation);
    assert.equal(generations, [1, 2]);
  }));

test.run();
