import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { byEndpoints, byService, type FindObject, ServiceError } from '../../runtime/aggregation/service-address.ts';
import { object } from '../kinds/context.ts';

const place = { namespace: 'shop', name: 'lamps', port: 443 };
const ports = [{ name: 'https', port: 443 }];

function find(service: object | undefined, subsets?: readonly object[]): FindObject {
  return (resource, namespace, name) => {
    assert.equal([namespace, name], ['shop', 'lamps']);
    if (resource === 'services') return service && object('v1', 'Service', { spec: service });
    return subsets && object('v1', 'Endpoints', { subsets });
  };
}

function outcome(resolve: () => unknown): unknown {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

const test = suite('addresses of services');

const SERVICES: readonly [name: string, spec: object | undefined, found: unknown][] = [
  ['its own', { type: 'ClusterIP', clusterIP: '10.0.0.7', ports }, { host: '10.0.0.7', port: 443 }],
  ['its own, where nodes have ports of it', { type: 'NodePort', clusterIP: '10.0.0.7', ports }, { host: '10.0.0.7', port: 443 }],
  ['the name that it stands for', { type: 'ExternalName', externalName: 'lamps.example' }, { host: 'lamps.example', port: 443 }],
  ['none without a service', undefined, 'service "lamps" not found'],
  ['none of one without an address', { type: 'ClusterIP', clusterIP: 'None', ports }, 'cannot route to service with ClusterIP "None"'],
  ['none of another port', { clusterIP: '10.0.0.7', ports: [{ port: 80 }] }, 'no service port 443 found for service "lamps"'],
  ['none of an unknown type', { type: 'Odd', ports }, 'unsupported service type "Odd"'],
];
for (const [name, spec, found] of SERVICES)
  test(`by service: ${name}`, () =>
    assert.equal(
      outcome(() => byService(find(spec))(place)),
      found,
    ));

const ready = { addresses: [{ ip: '10.1.1.1' }], ports: [{ name: 'https', port: 8443 }] };
const ENDPOINTS: readonly [name: string, spec: object | undefined, subsets: readonly object[] | undefined, found: unknown][] = [
  [
    'that of a ready one',
    { ports },
    [{ notReadyAddresses: [{ ip: '10.1.1.2' }], ports: ready.ports }, ready],
    { host: '10.1.1.1', port: 8443 },
  ],
  ['none of other ports', { ports }, [{ ...ready, ports: [{ name: 'http', port: 80 }] }], 'no endpoints available for service "lamps"'],
  ['none without endpoints', { ports }, undefined, 'endpoints "lamps" not found'],
  ['none of a name elsewhere', { type: 'ExternalName', externalName: 'x', ports }, [ready], 'unsupported service type "ExternalName"'],
  [
    'none of a name elsewhere without the port',
    { type: 'ExternalName', externalName: 'x' },
    [ready],
    'no service port 443 found for service "lamps"',
  ],
];
for (const [name, spec, subsets, found] of ENDPOINTS)
  test(`by endpoints: ${name}`, () =>
    assert.equal(
      outcome(() => byEndpoints(find(spec, subsets))(place)),
      found,
    ));

test('by endpoints: every one of them, sooner or later', () => {
  const addresses = ['10.1.1.1', '10.1.1.2', '10.1.1.3'].map((ip) => ({ ip }));
  const resolve = byEndpoints(find({ ports }, [{ ...ready, addresses }]));
  assert.is(new Set(Array.from({ length: 200 }, () => resolve(place).host)).size, 3);
});

test.run();
