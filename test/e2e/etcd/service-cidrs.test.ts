/** Of servers that share a store no two give the same address: who creates its IPAddress object has it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import type { Answer, Client, Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { eventually, type ServerOver, startOver, stopAll } from './over-etcd.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const GATE = 'MultiCIDRServiceAllocator=true';
/** Usable addresses of the range, and of the one that is added. */
const [SIZE, MORE] = [30, 14];

const create = (client: Client, name: string, spec: object = {}): Promise<Answer> =>
  client.post(SERVICES, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

for (const dialect of ['kubernetes', 'cluster'] as const)
  for (const gates of [GATE, `${GATE},DisableAllocatorDualWrite=true`]) {
    const test = suite(`addresses by objects over etcd: ${dialect}, ${gates}`);
    const etcd = await startEtcd();
    const servers = await startTwo(dialect, gates, etcd);
    const [one, two] = servers.map(({ client }) => client) as [Client, Client];
    const group = `/apis/${one.name('networking.${groupDomain}')}/v1beta1`;
    test.after(() => stopAll(etcd, ...servers));

    const held = async (client: Client): Promise<Record<string, string>> => {
      const { body } = await client.get(`${group}/ipaddresses`);
      return Object.fromEntries(body.items.map(({ metadata, spec }: Json) => [metadata.name, spec.parentRef.name]));
    };

    test('services made at both at once have addresses of their own, those of a range that was just added among them', async () => {
      await eventually(
        async () => (await one.get(`${SERVICES}/${dialect}`)).status,
        (status) => status === 200,
      );
      await one.post(`${group}/servicecidrs`, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } });
      await two.get(`${group}/servicecidrs`);
      const free = SIZE + MORE - 1;
      const answers = await Promise.all(Array.from({ length: free + 6 }, (_, i) => create(i % 2 === 0 ? one : two, `s-${i}`)));
      const made = answers.filter(({ status }) => status < 300).map(({ body }) => body);
      assert.is(made.length, free);
      const expected = Object.fromEntries(made.map(({ spec, metadata }) => [spec.clusterIP, metadata.name]));
      assert.is(Object.keys(expected).length, free);
      const { '10.0.0.1': own, ...objects } = await held(two);
      assert.is(own, dialect);
      assert.equal(objects, expected);
      for (const { status, text } of answers.filter(({ status: each }) => each >= 300)) {
        assert.is(status, 500, text);
        assert.match(text, 'range is full');
      }
    });

    test('what is given back at one may be had at the other, by one service', async () => {
      const { items } = (await one.get(SERVICES)).body;
      const others = items.filter(({ metadata }: Json) => metadata.name !== dialect);
      await Promise.all(others.map(({ metadata }: Json, i: number) => (i % 2 === 0 ? two : one).delete(`${SERVICES}/${metadata.name}`)));
      assert.equal(await held(one), { '10.0.0.1': dialect });
      const wanted = ['10.0.0.5', '10.0.0.6', '10.9.0.7'];
      for (const clusterIP of wanted) {
        const rivals = Array.from({ length: 6 }, (_, i) =>
          create(i % 2 === 0 ? one : two, `r-${i}-${clusterIP.replaceAll('.', '-')}`, { clusterIP }),
        );
        const answers = await Promise.all(rivals);
        assert.is(answers.filter(({ status }) => status < 300).length, 1);
        for (const { text } of answers.filter(({ status }) => status >= 300)) assert.match(text, 'provided IP is already allocated');
      }
      assert.equal(Object.keys(await held(two)).sort(), ['10.0.0.1', ...wanted]);
    });

    test.run();
  }

/** @returns servers of one store, the second of which begins when the first one is ready */
async function startTwo(dialect: Dialect, gates: string, etcd: Parameters<typeof startOver>[0]): Promise<ServerOver[]> {
  const group = dialect === 'kubernetes' ? 'networking.k8s.io' : 'networking.cluster.io';
  const flags = ['--service-cluster-ip-range=10.0.0.0/27', `--runtime-config=${group}/v1beta1=true`, `--feature-gates=${gates}`];
  return [await startOver(etcd, flags, { dialect }), await startOver(etcd, flags, { dialect })];
}
