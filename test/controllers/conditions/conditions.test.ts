import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { availability } from '../../../runtime/controllers/api-services/api-service-availability.ts';
import { hasCondition, withCondition } from '../../../runtime/controllers/conditions/conditions.ts';
import { danglingCondition } from '../../../runtime/controllers/flow-schema-levels.ts';
import { object } from '../../kinds/context.ts';

const test = suite('conditions');
const service = (spec: object) => object('v1', 'Service', { spec });
const HTTPS = service({ ports: [{ name: 'https', port: 443 }] });
const endpoints = (...ports: string[]) =>
  object('v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: ports.map((name) => ({ name, port: 1 })) }] });

const AVAILABILITY: readonly (readonly [
  name: string,
  spec: object,
  services: object | undefined,
  endpoints: object | undefined,
  reason: string | undefined,
])[] = [
  ['without a service', {}, undefined, undefined, 'Local'],
  ['whose service is missing', { service: { namespace: 'x', name: 'y' } }, undefined, undefined, 'ServiceNotFound'],
  ['of another port', { service: { namespace: 'x', name: 'y', port: 8443 } }, HTTPS, undefined, 'ServicePortError'],
  [
    'of a service that others lead to',
    { service: { namespace: 'x', name: 'y', port: 1 } },
    service({ type: 'LoadBalancer' }),
    undefined,
    undefined,
  ],
  ['of a name elsewhere', { service: { namespace: 'x', name: 'y' } }, service({ type: 'ExternalName' }), undefined, undefined],
  ['without endpoints', { service: { namespace: 'x', name: 'y' } }, HTTPS, undefined, 'EndpointsNotFound'],
  ['without addresses', { service: { namespace: 'x', name: 'y' } }, HTTPS, object('v1', 'Endpoints', {}), 'MissingEndpoints'],
  ['with addresses of another port', { service: { namespace: 'x', name: 'y' } }, HTTPS, endpoints('http'), 'MissingEndpoints'],
  ['that may answer', { service: { namespace: 'x', name: 'y' } }, HTTPS, endpoints('http', 'https'), undefined],
];

for (const [name, spec, ofService, ofEndpoints, reason] of AVAILABILITY)
  test(`an APIService ${name}`, () => {
    const found = availability(object('apiregistration.k8s.io/v1', 'APIService', { spec }), (resource, namespace, of) => {
      assert.equal([namespace, of], ['x', 'y']);
      return (resource === 'services' ? ofService : ofEndpoints) as ReturnType<typeof object> | undefined;
    });
    assert.is(found?.reason, reason);
    assert.is(found?.status, reason === undefined ? undefined : reason === 'Local' ? 'True' : 'False');
  });

test('an APIService whose service or endpoints cannot be read is told of', () => {
  const remote = object('apiregistration.k8s.io/v1', 'APIService', { spec: { service: { namespace: 'x', name: 'y' } } });
  const damaged = (resource: string) =>
    availability(remote, (of) => {
      if (of === resource) throw new Error('the value is damaged');
      return HTTPS as ReturnType<typeof object>;
    });
  assert.equal(
    ['services', 'endpoints'].map((resource) => [damaged(resource)?.status, damaged(resource)?.reason, damaged(resource)?.message]),
    ['ServiceAccessError', 'EndpointsAccessError'].map((reason) => [
      'Unknown',
      reason,
      'service/y in "x" cannot be checked due to: the value is damaged',
    ]),
  );
});

test('a flow schema dangles without its level', () => {
  const schema = object('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { spec: { priorityLevelConfiguration: { name: 'a' } } });
  assert.is(danglingCondition(schema, new Set(['a'])).status, 'False');
  assert.is(danglingCondition(schema, new Set(['b'])).status, 'True');
});

test('a condition keeps its place, and its time until its status changes', () => {
  const condition = { type: 'A', status: 'True', reason: 'R', message: 'm' } as const;
  const other = { type: 'B', status: 'True', reason: '', message: '' };
  const given = object('v1', 'X', {});
  const first = withCondition({ ...given, status: { conditions: [other], kept: 1 } }, condition, 0);
  assert.equal(first.status, { conditions: [other, { ...condition, lastTransitionTime: '1970-01-01T00:00:00Z' }], kept: 1 });
  assert.ok(hasCondition(first, condition) && !hasCondition(given, condition));
  const worded = withCondition(first, { ...condition, message: 'n' }, 5_000);
  assert.is(worded.status.conditions[1].lastTransitionTime, '1970-01-01T00:00:00Z');
  const changed = withCondition(worded, { ...condition, status: 'False' }, 5_000);
  assert.is(changed.status.conditions[1].lastTransitionTime, '1970-01-01T00:00:05Z');
  assert.is(first.status.conditions[1].message, 'm');
});

test.run();
