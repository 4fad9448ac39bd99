/** Families of services, where the release that a server emulates stores services in another form than 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmulatingServer, withServer } from './server.ts';

const test = suite('families of services in an emulated release');
const SERVICES = '/api/v1/namespaces/default/services';
const ports = [{ port: 80 }];

async function families(server: EmulatingServer, name: string, spec: object): Promise<readonly string[] | string> {
  const { status, body } = await server.call('POST', SERVICES, { metadata: { name }, spec: { ports, ...spec } });
  return status === 201 ? body.spec.ipFamilies : body.message;
}

const flags = { 'service-cluster-ip-range': ['10.0.0.0/24'] };

/** `expected`: the families, or what is wrong. */
const sent: readonly (readonly [what: string, spec: object, expected: readonly string[] | string])[] = [
  ['one that takes what there is', { ipFamilyPolicy: 'PreferDualStack' }, ['IPv4']],
  ['one with an address that takes what there is', { ipFamilyPolicy: 'PreferDualStack', clusterIP: '10.0.0.70' }, ['IPv4']],
  [
    'one that needs both',
    { ipFamilyPolicy: 'RequireDualStack' },
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
  [
    'one with an address of a family that there is not',
    { clusterIP: 'fd00::1' },
    'spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster',
  ],
  ['one without an address, of endpoints that others make', { clusterIP: 'None' }, ['IPv4', 'IPv6']],
];
for (const release of ['1.20', '1.24', '1.32'])
  test(`${release}: families are those of the cluster, whatever the service leaves out`, () =>
    withServer(release, { flags }, async (server) => {
      for (const [index, [what, spec, expected]] of sent.entries()) {
        const got = await families(server, `s${index}`, spec);
        if (typeof expected === 'string') assert.is(got, `Service "s${index}" is invalid: ${expected}`, what);
        else assert.equal(got, expected, what);
      }
    }));

test('1.20: an alias that becomes a service and takes what there is gets the family of the cluster', () =>
  withServer('1.20', { flags }, async (server) => {
    const alias = await server.call('POST', SERVICES, { metadata: { name: 'a' }, spec: { type: 'ExternalName', externalName: 'a.b' } });
    assert.is(alias.status, 201, alias.body.message);
    const spec = { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack', ports };
    const { status, body } = await server.call('PUT', `${SERVICES}/a`, { ...alias.body, spec });
    assert.is(status, 200, body.message);
    assert.equal(body.spec.ipFamilies, ['IPv4']);
  }));

test('1.19: services have one family, and a release that knows of two reads it', () =>
  withServer('1.19', { flags }, async (server) => {
    const { status, body } = await server.call('POST', SERVICES, { metadata: { name: 'a' }, spec: { ports } });
    assert.is(status, 201, body.message);
    assert.match(body.spec.clusterIP, /^10\.0\.0\.\d+$/);
    const changed = await server.call('PUT', `${SERVICES}/a`, { ...body, spec: { ...body.spec, sessionAffinity: 'ClientIP' } });
    assert.is(changed.status, 200, changed.body.message);
    assert.is(changed.body.spec.clusterIP, body.spec.clusterIP);
  }));

test.run();
