/** Services of clusters whose ranges of addresses are of both families, or of the second one alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../../../endpoints/handlers/asked-server.ts';

// addresses that are named below stand in the first part of each range, out of which nothing is given before the rest is full
const BOTH = ['10.0.0.0/24', 'fd00::/112'];
const PATH = '/api/v1/namespaces/default/services';
/** Range by family, with what an address of it looks like. */
const SHAPES = { IPv4: /^10\.0\.0\.\d+$/, IPv6: /^fd00::[\da-f]+$/ };

const test = suite('services of both families');
const server = await AskedServer.start('kubernetes', { 'service-cluster-ip-range': BOTH });
test.after(() => server.stop());

let number = 0;
// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Spec = any;

async function created(spec: object): Promise<{ name: string; status: number; spec: Spec; message: string }> {
  const name = `s${number++}`;
  const { status, body } = await server.post(PATH, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  return { name, status, spec: body.spec, message: body.message };
}

async function changed(name: string, spec: object): Promise<{ status: number; spec: Spec; message: string }> {
  const { status, body } = await server.ask('PATCH', `${PATH}/${name}`, { type: MERGE, body: { spec } });
  return { status, spec: body.spec, message: body.message };
}

function assertFamilies({ ipFamilies, clusterIPs, clusterIP }: Spec, ...families: (keyof typeof SHAPES)[]): void {
  assert.equal(ipFamilies, families);
  assert.is(clusterIPs.length, families.length);
  for (const [index, family] of families.entries()) assert.match(clusterIPs[index], SHAPES[family]);
  assert.is(clusterIP, clusterIPs[0]);
}

const rows: readonly [what: string, spec: object, policy: string, ...families: (keyof typeof SHAPES)[]][] = [
  ['asks for nothing', {}, 'SingleStack', 'IPv4'],
  ['asks for the other family', { ipFamilies: ['IPv6'] }, 'SingleStack', 'IPv6'],
  ['names an address of the other family', { clusterIP: 'fd00::5' }, 'SingleStack', 'IPv6'],
  ['prefers both', { ipFamilyPolicy: 'PreferDualStack' }, 'PreferDualStack', 'IPv4', 'IPv6'],
  ['needs both', { ipFamilyPolicy: 'RequireDualStack' }, 'RequireDualStack', 'IPv4', 'IPv6'],
  ['prefers both, the second one first', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] }, 'PreferDualStack', 'IPv6', 'IPv4'],
  [
    'names both addresses',
    { ipFamilyPolicy: 'RequireDualStack', clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'fd00::77'] },
    'RequireDualStack',
    'IPv4',
    'IPv6',
  ],
];
for (const [what, spec, policy, ...families] of rows)
  test(`one that ${what} has ${families.join(' and ')}`, async () => {
    const { status, spec: found } = await created(spec);
    assert.equal([status, found?.ipFamilyPolicy], [201, policy]);
    assertFamilies(found, ...families);
  });

test('a second address is taken and given back by the policy', async () => {
  const { name, spec } = await created({});
  const more = await changed(name, { ipFamilyPolicy: 'RequireDualStack' });
  assertFamilies(more.spec, 'IPv4', 'IPv6');
  assert.is(more.spec.clusterIP, spec.clusterIP);
  const [, second] = more.spec.clusterIPs;
  assert.is((await created({ clusterIP: second })).status, 422);
  const kept = await changed(name, { clusterIPs: [spec.clusterIP], ipFamilies: ['IPv4'] });
  assert.match(kept.message, "must be 'SingleStack' to release the secondary cluster IP");
  assertFamilies((await changed(name, { ipFamilyPolicy: 'SingleStack' })).spec, 'IPv4');
  assert.is((await created({ clusterIP: second })).status, 201);
});

test('a second address may be named', async () => {
  const { name } = await created({});
  const { clusterIP } = (await server.get(`${PATH}/${name}`)).body.spec;
  const { spec } = await changed(name, { ipFamilyPolicy: 'PreferDualStack', clusterIPs: [clusterIP, 'fd00::ab'] });
  assert.equal(spec.clusterIPs, [clusterIP, 'fd00::ab']);
});

test('addresses are held against the range of their family', async () => {
  const { message } = await created({ ipFamilyPolicy: 'PreferDualStack', clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd01::1'] });
  assert.match(
    message,
    'failed to allocate IP fd01::1: the provided IP (fd01::1) is not in the valid range. The range of valid IPs is fd00::/112',
  );
  assert.is((await created({ clusterIP: '10.0.0.9' })).status, 201, 'the first one is given back');
});

test('headless services have the families of the cluster', async () => {
  const { spec } = await created({ clusterIP: 'None', selector: { a: 'b' }, ipFamilyPolicy: 'PreferDualStack' });
  assert.equal([spec.ipFamilies, spec.clusterIPs], [['IPv4', 'IPv6'], ['None']]);
});

test('a cluster may have addresses of the second family alone', async () => {
  const other = await AskedServer.start('kubernetes', { 'service-cluster-ip-range': ['fd00::/112'] });
  const ask = async (name: string, spec: object) =>
    (await other.post(PATH, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })).body;
  assertFamilies((await ask('a', {})).spec, 'IPv6');
  assertFamilies((await ask('b', { ipFamilyPolicy: 'PreferDualStack' })).spec, 'IPv6');
  assert.match(
    (await ask('c', { ipFamilies: ['IPv4'] })).message,
    'spec.ipFamilies[0]: Invalid value: "IPv4": not configured on this cluster',
  );
  await other.stop();
});

for (const ranges of [
  ['10.0.0.0/24', '10.1.0.0/24'],
  [...BOTH, '10.1.0.0/24'],
])
  test(`ranges ${ranges.join()} are refused`, async () => {
    try {
      await (await AskedServer.start('kubernetes', { 'service-cluster-ip-range': ranges })).stop();
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, /^--service-cluster-ip-range: /);
    }
  });

test.run();
