/** Tokens of new nodes: which of them are deleted, and when. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestCluster } from '../server.ts';

const test = suite('ended bootstrap tokens');

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(async () => {
  await cluster.stop();
  await cluster.remove();
});

const PAST = '2020-01-01T00:00:00Z';
const TOKEN = 'bootstrap.kubernetes.io/token';
interface Secret {
  readonly name?: string;
  readonly namespace?: string;
  readonly type?: string;
  readonly expiration?: string;
}
const create = ({ name = 'bootstrap-token-aaaaaa', namespace = 'kube-system', type = TOKEN, expiration = PAST }: Secret) =>
  cluster.create('v1', 'secrets', {
    metadata: { name, namespace },
    type,
    data: { expiration: Buffer.from(expiration).toString('base64') },
  });
const names = (): string => cluster.names('secrets/');
const left = (wanted: string): Promise<void> => cluster.left('secrets/', wanted);

const rows: readonly [name: string, secret: Secret, stays: boolean][] = [
  ['one that has ended', {}, false],
  ['one of another name', { name: 'other' }, false],
  ['a time that cannot be read', { expiration: 'tomorrow' }, false],
  ['no time', { expiration: '' }, true],
  ['a time to come', { expiration: '2999-02-28T00:00:00Z' }, true],
  ['another type', { type: 'Opaque' }, true],
  ['another namespace', { namespace: 'default' }, true],
];
for (const isThere of [true, false])
  for (const [name, secret, stays] of rows)
    test(`${name}, ${isThere ? 'there before the start' : 'made later'}`, async () => {
      if (!isThere) await cluster.start('tokencleaner');
      await create(secret);
      // looked at after it
      await create({ name: 'last' });
      if (isThere) await cluster.start('tokencleaner');
      await left(stays ? (secret.name ?? 'bootstrap-token-aaaaaa') : '');
      assert.is(names(), stays ? 'bootstrap-token-aaaaaa' : '');
    });

test('one goes when its time is over', async () => {
  await cluster.start('tokencleaner');
  await create({ expiration: new Date(Date.now() + 2_000).toISOString().replace(/\.\d+/, '') });
  await left('');
});

test.run();
