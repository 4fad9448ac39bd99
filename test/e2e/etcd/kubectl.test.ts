/** kubectl over a server whose store is etcd: one conversation, half of it with another server of the same etcd. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../harness/etcd.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl } from '../../harness/kubectl.ts';
import { eventually, startOver, stopAll } from './over-etcd.ts';

const program = await findKubectl();
if (program === undefined) {
  console.log(KUBECTL_MISSING);
  process.exit(0);
}

const test = suite('kubectl over etcd');
const etcd = await startEtcd();
const [one, two] = await Promise.all([startOver(etcd), startOver(etcd, ['--workers=2'])]);
test.after(() => stopAll(etcd, one, two));
const [first, second] = await Promise.all([Kubectl.create(program, one.server), Kubectl.create(program, two.server)]);

const deployment = (replicas: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'team' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
  },
});

test('apply, get, watch, wait and delete', async () => {
  assert.match(await first.run('create namespace team'), /namespace\/team created/);
  assert.match(await second.run('apply -f -', deployment(1)), /deployment\.apps\/web created/);
  assert.match(await first.run('apply -f -', deployment(1)), /web unchanged/);
  const watch = second.start('get deployments -n team --watch -o jsonpath={.spec.replicas};');
  let watched = '';
  watch.stdout?.setEncoding('utf8').on('data', (text: string) => {
    watched += text;
  });
  await eventually(
    async () => watched,
    (text) => text === '1;',
  );
  assert.match(await first.run('apply -f -', deployment(3)), /web configured/);
  assert.match(await first.run('apply --server-side --force-conflicts -f -', deployment(4)), /web serverside-applied/);
  await eventually(
    async () => watched,
    (text) => text.startsWith('1;3;4;'),
  );
  watch.kill('SIGKILL');
  assert.match(await second.run('get deployments -A'), /team +web +0\/4/);
  assert.is(await first.run('get deploy web -n team -o jsonpath={.spec.replicas}'), '4');

  const waiting = second.run('wait deploy/web -n team --for=jsonpath={.spec.replicas}=5 --timeout=20s');
  assert.match(await first.run('scale deploy/web -n team --replicas=5'), /web scaled/);
  assert.match(await waiting, /web condition met/);
  const gone = second.start('wait deploy/web -n team --for=delete --timeout=20s -v=8');
  const said = { out: '', requests: '' };
  // with all that it has said
  const closed = once(gone, 'close');
  gone.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  gone.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.requests += text;
  });
  // of what has gone before it looks it says nothing
  await eventually(
    async () => said.requests,
    (text) => text.includes('watch=true'),
  );
  assert.match(await first.run('delete deploy web -n team'), /"web" deleted/);
  await closed;
  assert.match(said.out, /condition met/);
  assert.match(await second.run('delete namespace team --timeout=30s'), /"team" deleted/);
  assert.match((await first.try('get ns team')).stderr, /namespaces "team" not found/);
  assert.match(await first.run('get --raw /readyz?verbose'), /\[\+\]etcd ok/);
});

test.run();
