import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('signatures of the public description');

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(async () => {
  await cluster.stop();
  await cluster.remove();
});

function secret(id: string, members: Readonly<Record<string, string>> = {}, type = 'bootstrap.kubernetes.io/token'): Promise<ApiObject> {
  const texts = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...members };
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  return cluster.create('v1', 'secrets', { metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' }, type, data });
}

const signed = (): string[] => {
  const [description] = cluster.objects('configmaps/kube-public/');
  return Object.keys((description?.data ?? {}) as object).filter((key) => key !== 'kubeconfig');
};

test('only tokens of the right form that are for it, and go on, sign', async () => {
  await secret('aaaaaa');
  await secret('abc');
  await secret('a.b.cd');
  await secret('bbbbbb', { 'usage-bootstrap-signing': 'false' });
  await secret('cccccc', { 'token-id': 'dddddd' });
  await secret('eeeeee', { expiration: '2020-01-01T00:00:00Z' });
  await secret('ffffff', { expiration: '2999-02-30T00:00:00Z' });
  await secret('gggggg', { 'token-secret': '' });
  await secret('hhhhhh', {}, 'Opaque');
  await secret('iiiiii', { expiration: '2999-02-28T00:00:00Z' });
  await cluster.create('v1', 'configmaps', { metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig: 'x' } });
  await cluster.start('bootstrapsigner');
  await eventually(
    () => signed().length > 0,
    () => 'nothing was signed',
  );
  assert.equal(signed().sort(), ['jws-kubeconfig-aaaaaa', 'jws-kubeconfig-iiiiii']);
});

test.run();
