/** `kubectl delete` in all its forms, against a server whose controllers run. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl delete');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

const POD = { containers: [{ name: 'c', image: 'i' }] };
const template = { metadata: { labels: { a: 'b' } }, spec: POD };

/** A deployment with a replica set and a pod, as their controllers would have made them. */
async function createChain(name: string): Promise<void> {
  const selector = { matchLabels: { a: 'b' } };
  const create = async (apiVersion: string, kind: string, members: object, owner?: object): Promise<string> => {
    const metadata = { name, labels: { chain: name }, ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
    return (await kubectl.run('create -f - -o jsonpath={.metadata.uid}', { apiVersion, kind, metadata, ...members })).trim();
  };
  const reference = (apiVersion: string, kind: string, uid: string) => ({
    apiVersion,
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  });
  const deployment = await create('apps/v1', 'Deployment', { spec: { selector, template } });
  const replicaSet = await create(
    'apps/v1',
    'ReplicaSet',
    { spec: { selector, template } },
    reference('apps/v1', 'Deployment', deployment),
  );
  await create('v1', 'Pod', { spec: POD }, reference('apps/v1', 'ReplicaSet', replicaSet));
}

/** Kinds that are left of a chain. */
async function left(name: string): Promise<string[]> {
  const output = await kubectl.run(`get deployments,replicasets,pods -l chain=${name} -o name`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/[./].*$/, ''));
}

async function eventuallyLeft(name: string, wanted: readonly string[]): Promise<void> {
  const until = Date.now() + 20_000;
  let found = await left(name);
  while (found.join() !== wanted.join() && Date.now() < until) found = await left(name);
  assert.equal(found, wanted);
}

const cascades: readonly [cascade: string, wanted: readonly string[]][] = [
  ['background', []],
  ['foreground', []],
  ['orphan', ['replicaset', 'pod']],
];
for (const [cascade, wanted] of cascades)
  test(`--cascade=${cascade}`, async () => {
    await createChain(cascade);
    assert.equal(await left(cascade), ['deployment', 'replicaset', 'pod']);
    assert.match(await kubectl.run(`delete deployment ${cascade} --cascade=${cascade}`), /^deployment\.apps "\w+" deleted/m);
    await eventuallyLeft(cascade, wanted);
  });

test('a namespace and what is in it', async () => {
  await kubectl.run('create namespace full');
  await kubectl.run('create configmap c -n full --from-literal=a=b');
  await kubectl.run('create deployment d -n full --image=i');
  assert.match(await kubectl.run('delete namespace full'), /^namespace "full" deleted/m);
  assert.not.equal((await kubectl.try('get namespace full')).code, 0);
});

test('a namespace with something held says so, and goes when it is let go', async () => {
  await kubectl.run('create namespace held');
  await kubectl.run('create -n held -f -', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', finalizers: ['e.com/hold'] } });
  await kubectl.run('delete namespace held --wait=false');
  const until = Date.now() + 20_000;
  let described = '';
  while (!/NamespaceFinalizersRemaining +True/.test(described) && Date.now() < until)
    described = await kubectl.run('describe namespace held');
  assert.match(
    described,
    /NamespaceContentRemaining +True .*SomeResourcesRemain +Some resources are remaining: configmaps\. has 1 resource instances/,
  );
  assert.match(described, /Some content in the namespace has finalizers remaining: e\.com\/hold in 1 resource instances/);
  const refused = await kubectl.try('create configmap d -n held');
  assert.match(refused.stderr, /unable to create new content in namespace held because it is being terminated/);
  await kubectl.run(['patch', 'configmap', 'c', '-n', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await kubectl.run('wait namespace held --for=delete --timeout=20s');
});

const BOUND = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bound' }, spec: { ...POD, nodeName: 'n' } };

test('a pod waits for its grace period, and goes by force', async () => {
  await kubectl.run('create -f -', BOUND);
  assert.match(await kubectl.run('delete pod bound --grace-period=60 --wait=false'), /^pod "bound" deleted/m);
  assert.is(await kubectl.run('get pod bound -o jsonpath={.metadata.deletionGracePeriodSeconds}'), '60');
  assert.match(await kubectl.run('delete pod bound --grace-period=0 --force'), /^pod "bound" force deleted/m);
  assert.not.equal((await kubectl.try('get pod bound')).code, 0);
});

test('--now, --all and selectors', async () => {
  // without its node the pod goes when its second is over
  await kubectl.run('create -f -', { apiVersion: 'v1', kind: 'Node', metadata: { name: BOUND.spec.nodeName } });
  await kubectl.run('create -f -', BOUND);
  await kubectl.run('delete pod bound --now --wait=false');
  assert.is(await kubectl.run('get pod bound -o jsonpath={.metadata.deletionGracePeriodSeconds}'), '1');
  await kubectl.run('delete pod bound --grace-period=0 --force');
  for (const name of ['x', 'y', 'z']) await kubectl.run(`create configmap ${name} --from-literal=a=b`);
  await kubectl.run('label configmap x y group=1');
  assert.equal((await kubectl.run('delete configmap -l group=1')).split('\n').filter(Boolean).length, 2);
  assert.match(await kubectl.run('delete configmap --all --dry-run=server'), /^configmap "z" deleted.*\(server dry run\)/m);
  assert.match(await kubectl.run('delete configmap --all'), /^configmap "z" deleted/m);
  assert.not.match(await kubectl.run('get configmaps -o name'), 'configmap/z');
});

test.run();
