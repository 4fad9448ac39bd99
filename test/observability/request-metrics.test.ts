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
const OF = 'group="apps",version="v1",resource="deployments",subresource="",scope="cluster",component="apiserver"';

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
    `apiserver_request_total{verb="LIST",dry_run="",${OF},code="200"} 2`,
    `apiserver_request_total{verb="LIST",dry_run="",${OF},code="404"} 1`,
    `apiserver_request_duration_seconds_sum{verb="LIST",dry_run="",${OF}} 1`,
    `apiserver_request_duration_seconds_count{verb="LIST",dry_run="",${OF}} 3`,
    `apiserver_response_sizes_sum{verb="LIST",${OF}} 160`,
    `apiserver_response_sizes_count{verb="LIST",${OF}} 3`,
    `apiserver_request_sli_duration_seconds_sum{verb="LIST",${OF}} 0.875`,
    `apiserver_request_sli_duration_seconds_count{verb="LIST",${OF}} 3`,
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
    'apiserver_selfrequest_total{verb="PUT",resource="deployments",subresource=""} 1',
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
  assert.equal(await lines(), [
    `apiserver_request_terminations_total{verb="LIST",${OF},code="504"} 1`,
    `apiserver_request_aborts_total{verb="LIST",${OF.replace(',component="apiserver"', '')}} 1`,
  ]);
});

test('of a path count by code', async () => {
  const { of, lines } = made();
  const ended = of.path('/livez');
  for (const code of [200, 200, 500]) ended(code, 0.25);
  const path = 'verb="GET",dry_run="",group="",version="",resource="",subresource="/livez",scope="",component=""';
  assert.equal(await lines(), [
    `apiserver_request_total{${path},code="200"} 2`,
    `apiserver_request_total{${path},code="500"} 1`,
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
  assert.equal(await lines(), [`apiserver_longrunning_requests{verb="LIST",${OF}} 1`]);
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
  assert.ok((await lines()).includes(`apiserver_longrunning_requests{verb="LIST",${OF}} 1`));
});

test('of deprecated APIs are there, once', async () => {
  const { of, lines } = made();
  for (let i = 0; i < 2; i++) of.deprecated(labels, '1.33');
  assert.equal(await lines(), [
    'apiserver_requested_deprecated_apis{group="apps",version="v1",resource="deployments",subresource="",removed_release="1.33"} 1',
  ]);
});

test.run();
