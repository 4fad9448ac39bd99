/** Which requests wait until the server has said in which versions it stores resources. */
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storageVersionBarrier } from '../../runtime/chain/storage-version-barrier.ts';
import type { User } from '../../runtime/contract/request-context.ts';
import { resolveRequestInfo } from '../../runtime/endpoints/request/request-info.ts';
import { StorageVersionRegistration } from '../../runtime/registry/storage-versions/storage-version-registration.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { identity } from '../kinds/context.ts';

const test = suite('the barrier of storage versions');

const names: readonly (readonly [group: string, resource: string])[] = [
  ['', 'pods'],
  ['', 'namespaces'],
  ['apps', 'deployments'],
  ['coordination.k8s.io', 'leases'],
  ['internal.apiserver.k8s.io', 'storageversions'],
];
const resources = names.map(([group, resource]) => ({
  groupResource: { group, resource },
  equivalents: [{ group, resource }],
  served: [],
}));
const user = (name = 'someone', ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });

function registration(): StorageVersionRegistration {
  return new StorageVersionRegistration(resources, async () => new Map());
}

/** @returns what it is answered; undefined: it goes on */
async function answered(request: string, by = user(), of = registration()): Promise<StatusError | undefined> {
  const [method = '', path = ''] = request.split(' ');
  const context = { state: { info: resolveRequestInfo(method, path), user: by } } as unknown as Context;
  let isPassed = false;
  try {
    await storageVersionBarrier(of, identity)(context, async () => {
      isPassed = true;
    });
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  assert.ok(isPassed);
  return undefined;
}

const PODS = '/api/v1/namespaces/default/pods';
const waiting: [request: string, resource: string][] = [
  [`POST ${PODS}`, 'pods'],
  [`PUT ${PODS}/a/status`, 'pods'],
  [`POST ${PODS}/a/exec`, 'pods'],
  [`PATCH /apis/apps/v1/namespaces/default/deployments/a`, 'deployments.apps'],
  [`DELETE /apis/apps/v1/namespaces/default/deployments`, 'deployments.apps'],
  [`POST /apis/coordination.k8s.io/v1/namespaces/default/leases`, 'leases.coordination.k8s.io'],
  ['POST /api/v1/namespaces', 'namespaces'],
];
for (const [request, resource] of waiting)
  test(`${request} waits`, async () => {
    const { status } = (await answered(request)) as StatusError;
    assert.equal([status.code, status.reason], [503, 'ServiceUnavailable']);
    assert.is(status.message, `wait for storage version registration to complete for resource: ${resource}, last seen error: <nil>`);
  });

const passing = [
  'POST /version',
  `GET ${PODS}`,
  `HEAD ${PODS}/a`,
  `GET ${PODS}?watch=1`,
  'POST /apis/internal.apiserver.k8s.io/v1alpha1/storageversions',
  'PUT /apis/internal.apiserver.k8s.io/v1alpha1/storageversions/core.pods/status',
  'PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a',
  'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  'POST /apis/example.com/v1/namespaces/default/pods',
];
for (const request of passing) test(`${request} does not wait`, async () => assert.is(await answered(request), undefined));

test('the server itself makes namespaces, and does nothing else to them', async () => {
  const server = user('system:apiserver', 'system:masters');
  assert.is(await answered('POST /api/v1/namespaces', server), undefined);
  assert.ok(await answered('PUT /api/v1/namespaces/a', server));
  assert.ok(await answered('POST /api/v1/namespaces', user('system:apiserver')));
  assert.ok(await answered('POST /api/v1/namespaces', user('someone', 'system:masters')));
});

test('each resource by itself, with the error that was seen last', async () => {
  const of = registration();
  const [pods, , deployments] = resources as [(typeof resources)[0], unknown, (typeof resources)[0]];
  of.succeeded(pods);
  of.failed(deployments, new Error('no room'));
  assert.is(await answered(`POST ${PODS}`, user(), of), undefined);
  const refused = await answered('POST /apis/apps/v1/namespaces/default/deployments', user(), of);
  assert.match(refused?.status.message ?? '', /deployments\.apps, last seen error: no room$/);
  of.complete();
  assert.is(await answered('POST /apis/apps/v1/namespaces/default/deployments', user(), of), undefined);
});

test.run();
