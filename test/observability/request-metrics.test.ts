import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { type RequestLabels, RequestMetrics } from '../../runtime/observability/request-metrics.ts';

const test = suite('figures of requests');
const labels: RequestLabels = {
  verb: 'LIST',
  dryRun: '',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  scope: 'cluster',
};
const OF = 'group="apps",resource="deployments",scope="cluster",subresource="",verb="LIST",version="v1"';
const SERVED = `component="apiserver",${OF}`;
const WRITTEN = `component="apiserver",dry_run="",${OF}`;

function made() {
  const metrics = new Metrics(metricsData);
  const lines = async () =>
    (await metrics.text()).body.split('\n').filter((line) => line.startsWith('apiserver_') && !line.includes('_bucket'));
  return { of: new RequestMetrics(metrics), lines };
}

test('count by code, with time and size', async () => {
  const { of, lines } = made();
  const series = of.series(labels);
  series.ended(200, 0.5, 0, 100, undefined);
  series.ended(200, 0.25, 0.125, 50, undefined);
  series.ended(404, 0.25, 0, 10, 5);
  assert.equal(await lines(), [
    `apiserver_request_total{code="200",${WRITTEN}} 2`,
    `apiserver_request_total{code="404",${WRITTEN}} 1`,
    `apiserver_request_duration_seconds_sum{${WRITTEN}} 1`,
    `apiserver_request_duration_seconds_count{${WRITTEN}} 3`,
    `apiserver_response_sizes_sum{${SERVED}} 160`,
    `apiserver_response_sizes_count{${SERVED}} 3`,
    `apiserver_request_sli_duration_seconds_sum{${SERVED}} 0.875`,
    `apiserver_request_sli_duration_seconds_count{${SERVED}} 3`,
  ]);
});

test('have the time by the validation of fields, and those of API servers themselves', async () => {
  const metrics = new Metrics(metricsData);
  const of = new RequestMetrics(metrics);
  of.series({ ...labels, verb: 'PUT', fieldValidation: 'Strict' }).ended(200, 0.5, 0, 100, 5);
  const plain = of.series({ ...labels, verb: 'PUT' });
  plain.ended(200, 0.25, 0, 100, 5);
  plain.byServer();
  const { body } = await metrics.text();
  const shown = body.split('\n').filter((line) => /^(?:field_validation|apiserver_self)/.test(line) && !line.includes('_bucket'));
  assert.equal(shown, [
    'apiserver_selfrequest_total{resource="deployments",subresource="",verb="PUT"} 1',
    'field_validation_request_duration_seconds_sum{field_validation="Strict"} 0.5',
    'field_validation_request_duration_seconds_count{field_validation="Strict"} 1',
    'field_validation_request_duration_seconds_sum{field_validation=""} 0.25',
    'field_validation_request_duration_seconds_count{field_validation=""} 1',
  ]);
});

test('have no sizes of writes', async () => {
  const { of, lines } = made();
  of.series({ ...labels, verb: 'PUT' }).ended(200, 0.5, 0, 100, undefined);
  assert.not.ok((await lines()).some((line) => line.startsWith('apiserver_response_sizes')));
});

test('have sizes of bodies by what is done with them', async () => {
  const { of, lines } = made();
  const series = of.series({ ...labels, verb: 'POST', bodyVerb: 'create' });
  for (const bytes of [10, 30, undefined]) series.ended(201, 0.5, 0, 100, bytes);
  assert.equal(
    (await lines()).filter((line) => line.startsWith('apiserver_request_body')),
    [
      'apiserver_request_body_size_bytes_sum{resource="deployments.apps",verb="create"} 40',
      'apiserver_request_body_size_bytes_count{resource="deployments.apps",verb="create"} 2',
    ],
  );
});

test('tell of requests that the server ends, and of answers that it breaks off', async () => {
  const { of, lines } = made();
  const series = of.series(labels);
  series.terminated(504);
  series.aborted();
  assert.equal(await lines(), [`apiserver_request_terminations_total{code="504",${SERVED}} 1`, `apiserver_request_aborts_total{${OF}} 1`]);
});

test('of a path count by code', async () => {
  const { of, lines } = made();
  const ended = of.path('/livez');
  for (const code of [200, 200, 500]) ended(code, 0.25);
  const path = 'component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""';
  assert.equal(await lines(), [
    `apiserver_request_total{code="200",${path}} 2`,
    `apiserver_request_total{code="500",${path}} 1`,
    `apiserver_request_duration_seconds_sum{${path}} 0.75`,
    `apiserver_request_duration_seconds_count{${path}} 3`,
  ]);
});

test('of what lasts go on where a resource is served anew', async () => {
  const { of, lines } = made();
  const [before, after] = [of.series(labels), of.series(labels)];
  before.runs(1);
  after.runs(1);
  before.runs(-1);
  assert.equal(await lines(), [`apiserver_longrunning_requests{${SERVED}} 1`]);
});

test('of a resource that is gone go with it', async () => {
  const { of, lines } = made();
  for (const each of [of.series(labels), of.series({ ...labels, version: 'v2' })]) {
    each.ended(200, 0.5, 0, 100, undefined);
    each.runs(1);
  }
  of.deprecated(labels, '1.33');
  of.forget({ ...labels, kind: 'Deployment' }, true);
  const left = await lines();
  assert.ok(left.length > 3 && left.every((line) => line.includes('version="v2"')), left.join('\n'));
  of.series(labels).runs(1);
  assert.ok((await lines()).includes(`apiserver_longrunning_requests{${SERVED}} 1`));
});

test('that name a resource otherwise go with its last version', async () => {
  const metrics = new Metrics(metricsData);
  const of = new RequestMetrics(metrics);
  const conversions = metrics.histogram('apiserver_crd_conversion_webhook_duration_seconds');
  const shown = () => {
    const { values, histograms } = metrics.figures();
    return [values.etcd_requests_total, histograms.apiserver_crd_conversion_webhook_duration_seconds].flatMap((rows = []) =>
      rows.map(({ labels: { type, crd_name } }) => type ?? crd_name),
    );
  };
  for (const name of ['toys.example.com', 'games.example.com']) {
    metrics.counter('etcd_requests_total').inc({ operation: 'get', type: name });
    conversions.with({ crd_name: name, from_version: 'v1', to_version: 'v2', succeeded: 'true' }).observe(1);
  }
  const gone = { group: 'example.com', resource: 'toys', kind: 'Toy' };
  of.forget({ ...gone, version: 'v1' }, true);
  assert.is(shown().length, 4);
  of.forget({ ...gone, version: 'v2' }, false);
  assert.equal(shown(), ['games.example.com', 'games.example.com']);
});

test('of deprecated APIs are there, once', async () => {
  const { of, lines } = made();
  for (let i = 0; i < 2; i++) of.deprecated(labels, '1.33');
  assert.equal(await lines(), [
    'apiserver_requested_deprecated_apis{group="apps",removed_release="1.33",resource="deployments",subresource="",version="v1"} 1',
  ]);
});

test.run();
