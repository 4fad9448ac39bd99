/** Which requests wait until what is in memory has all that was written before them, and whose waiting is measured. */
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { mostRecent } from '../../runtime/chain/most-recent.ts';
import { resolveRequestInfo } from '../../runtime/endpoints/request/request-info.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import type { RegistrySnapshot } from '../../runtime/registry/resources/registry-snapshot.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { StorageUnreachable } from '../../runtime/storage/errors.ts';
import { builtInRegistry } from '../harness/built-in-registry.ts';
import { identity } from '../kinds/context.ts';

const test = suite('what was written most recently');
const PODS = '/api/v1/namespaces/default/pods';
const WAITS = 'apiserver_watch_cache_read_wait_seconds';

/** Passes one request on. @param barrier of the store, which has reached the revision 10 */
async function passed(request: string, barrier: () => Promise<void> | undefined): Promise<{ waited: number; measured: string[] }> {
  const [method = '', path = '', query = ''] = request.split(/[ ?]/);
  const metrics = new Metrics(metricsData);
  let waited = 0;
  const storage = {
    currentRevision: () => 10,
    barrier: () => {
      waited++;
      return barrier();
    },
  };
  const latestRegistry = (): RegistrySnapshot => builtInRegistry(identity).current;
  const handler = mostRecent({ storage, latestRegistry, definitionsUnderWay: undefined, metrics } as unknown as Parameters<
    typeof mostRecent
  >[0]);
  const info = { ...resolveRequestInfo(method, path), query: new URLSearchParams(query) };
  const state = { info, took: () => {} };
  let isPassed = false;
  await handler({ state } as unknown as Context, async () => {
    isPassed = true;
  });
  assert.ok(isPassed);
  const rows = metrics.figures().histograms[WAITS] ?? [];
  return { waited, measured: rows.map(({ labels }) => labels.resource as string) };
}

for (const [request, waited, measured] of [
  [`GET ${PODS}`, 1, ['pods']],
  [`GET ${PODS}/a`, 1, ['pods']],
  ['GET /apis/apps/v1/deployments', 1, ['deployments.apps']],
  [`GET ${PODS}?resourceVersion=11`, 1, ['pods']],
  [`GET ${PODS}?resourceVersion=10`, 0, []],
  [`POST ${PODS}`, 1, []],
  ['GET /apis/example.com/v1/namespaces/default/things', 1, []],
  ['GET /healthz', 0, []],
] as const)
  test(`${request}: waits ${waited}, is measured as ${measured.join() || 'nothing'}`, async () => {
    assert.equal(await passed(request, () => Promise.resolve()), { waited, measured: [...measured] });
  });

test('a store without a barrier is asked, and nothing is measured', async () => {
  assert.equal(await passed(`GET ${PODS}`, () => undefined), { waited: 1, measured: [] });
});

test('a store that cannot be reached refuses the request', async () => {
  const error = await passed(`GET ${PODS}`, () => Promise.reject(new StorageUnreachable('no etcd'))).catch((caught: unknown) => caught);
  assert.instance(error, StatusError);
});

test.run();
