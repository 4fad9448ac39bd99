/** Owners that a client resets: what is left of them in each dialect (specification: Server-side apply rules). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { AskedServer, JSON_PATCH, MERGE } from '../../endpoints/handlers/asked-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
type Entry = Readonly<{ manager: string; fieldsV1: object }>;

/** The owners after a write by `resetter` of what `maker` has made, each with the keys of the data that they own. */
const rows: readonly [name: string, sent: object, cluster: readonly string[], kubernetes: readonly string[]][] = [
  ['an empty entry', { metadata: { managedFields: [{}] } }, [], []],
  ['an empty entry beside a change', { metadata: { managedFields: [{}] }, data: { b: '1' } }, ['resetter: f:b'], []],
  ['an empty entry beside what is so', { metadata: { managedFields: [{}] }, data: { a: '1' } }, [], []],
  ['an empty list', { metadata: { managedFields: [] } }, ['maker: ., f:a'], []],
  ['an empty list beside what is so', { metadata: { managedFields: [] }, data: { a: '1' } }, ['maker: ., f:a'], []],
  ['an empty list beside a change', { metadata: { managedFields: [] }, data: { b: '1' } }, [], []],
  ['null', { metadata: { managedFields: null }, data: { b: '1' } }, ['maker: ., f:a', 'resetter: f:b'], ['maker: ., f:a', 'resetter: f:b']],
];

const shown = (entries: readonly Entry[] = []): string[] =>
  entries.map(({ manager, fieldsV1 }) => `${manager}: ${Object.keys((fieldsV1 as Record<string, object>)['f:data'] ?? {}).join(', ')}`);

for (const dialect of ['cluster', 'kubernetes'] satisfies Dialect[]) {
  const test = suite(`owners that are reset, dialect ${dialect}`);
  let server: AskedServer;
  test.before(async () => {
    server = await AskedServer.start(dialect);
  });
  test.after(() => server.stop());

  const made = async (name: string): Promise<string> => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: '1' } };
    assert.ok((await server.post(`${MAPS}?fieldManager=maker`, object)).status < 300);
    return `${MAPS}/${name}`;
  };
  for (const [index, [name, sent, cluster, kubernetes]] of rows.entries()) {
    const left = dialect === 'cluster' ? cluster : kubernetes;
    test(`${name}: ${left.join('; ') || 'nobody'}`, async () => {
      const path = await made(`map-${index}`);
      const patched = await server.ask('PATCH', `${path}?fieldManager=resetter`, { body: sent, type: MERGE });
      assert.equal(shown(patched.body.metadata.managedFields), left);
      assert.equal((await server.get(path)).body.metadata, patched.body.metadata);
    });
  }

  test('another one who writes later owns what they change of what a reset has left', async () => {
    const path = await made('later');
    const reset = [
      { op: 'replace', path: '/metadata/managedFields', value: [{}] },
      { op: 'add', path: '/data/b', value: '1' },
    ];
    await server.ask('PATCH', `${path}?fieldManager=resetter`, { body: reset, type: JSON_PATCH });
    const { body } = await server.ask('PATCH', `${path}?fieldManager=later`, { body: { data: { b: '2', c: '1' } }, type: MERGE });
    assert.equal(shown(body.metadata.managedFields), dialect === 'cluster' ? ['later: f:b, f:c'] : []);
  });
  test.run();
}
