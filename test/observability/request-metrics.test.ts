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
  series.ended(200, 0.5, 100);
  series.ended(200, 0.25, 50);
  series.ended(404, 0.25, 10);
  assert.equal(await lines(), [
    `apiserver_request_total{verb="LIST",dry_run="",${OF},code="200"} 2`,
    `apiserver_request_total{verb="LIST",dry_run="",${OF},code="404"} 1`,
    `apiserver_request_duration_seconds_sum{verb="LIST",dry_run="",${OF}} 1`,
    `apiserver_request_duration_seconds_count{verb="LIST",dry_run="",${OF}} 3`,
    `apiserver_response_sizes_sum{verb="LIST",${OF}} 160`,
    `apiserver_response_sizes_count{verb="LIST",${OF}} 3`,
  ]);
});

test('have no sizes of writes', async () => {
  const { of, lines } = made();
  of.series({ ...labels, verb: 'PUT' }).ended(200, 0.5, 100);
  assert.not.ok((await lines()).some((line) => line.startsWith('apiserver_response_sizes')));
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
    each.ended(200, 0.5, 100);
    each.runs(1);
  }
  of.deprecated(labels, '1.33');
  of.forget(labels);
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
