/** Validating policies through a whole server: of which requests they are asked, and what comes of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BINDINGS, bind, CONFIG_MAPS, configMap, create, define, policing, RULE, request } from './policed-server.ts';

const test = suite('validating policies');
policing(test);

test('refuse what they say from the next request on, and no longer once they are gone', async () => {
  await define('p', {
    matchConstraints: { resourceRules: [{ ...RULE, operations: ['CREATE'] }] },
    validations: [{ expression: "object.metadata.name != 'a'" }],
  });
  assert.is((await create('a')).status, 201, 'a policy without a binding says nothing');
  await bind('b', { policyName: 'p' });
  assert.is((await create('b')).status, 201);
  await request('DELETE', `${CONFIG_MAPS}/a`);
  const refused = await create('a');
  assert.is(refused.status, 422);
  const message = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.metadata.name != 'a'";
  assert.equal(refused.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `configmaps "a" is forbidden: ${message}`,
    reason: 'Invalid',
    details: { name: 'a', kind: 'configmaps', causes: [{ message }] },
    code: 422,
  });
  await request('DELETE', `${BINDINGS}/b`);
  assert.is((await create('a')).status, 201);
});

test('see updates, patches, deletes and deletes of collections, with what is null', async () => {
  await create('a');
  await create('b');
  await define('p', {
    validations: [
      { expression: "request.operation != 'UPDATE' || (oldObject != null && object != null)", message: 'an update' },
      { expression: "request.operation != 'DELETE' || (oldObject != null && object == null)", message: 'a delete' },
      { expression: "request.operation != 'CREATE' || (oldObject == null && object != null)", message: 'a create' },
      { expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'b'", message: 'b is kept' },
    ],
  });
  await bind('b', { policyName: 'p' });
  assert.is((await create('c')).status, 201);
  assert.is((await request('PUT', `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1' } }))).status, 200);
  assert.is((await request('PATCH', `${CONFIG_MAPS}/a`, { data: { k: '2' } }, 'application/merge-patch+json')).status, 200);
  assert.is((await request('DELETE', `${CONFIG_MAPS}/a`)).status, 200);
  assert.match((await request('DELETE', `${CONFIG_MAPS}/b`)).body.message, 'denied request: b is kept');
  assert.match((await request('DELETE', CONFIG_MAPS)).body.message, 'denied request: b is kept');
});

test.run();
