/** What people run with kubectl all day besides reading and writing: rollouts, nodes, short ways to make objects, what the cluster is. One conversation. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl every day');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

interface Row {
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
  /** default 0 */
  readonly code?: number;
}

const folder = path.join(server.directory, 'kustomized');
await mkdir(folder);
await writeFile(
  path.join(folder, 'kustomization.yaml'),
  'namePrefix: k-\nconfigMapGenerator: [{name: made, literals: [a=b]}]\nresources: [cm.yaml]\n',
);
await writeFile(path.join(folder, 'cm.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n');

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
const settings = (...names: string[]) => ({
  apiVersion: 'v1',
  kind: 'List',
  items: names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'settings' } } })),
});
const asked = execFileSync('openssl', ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=bob/O=dev'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const signingRequest = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'bob' },
  spec: { request: asked.toString('base64'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
};

const ROWS: readonly Row[] = [
  { run: 'create deployment web --image=img:1', prints: /created/ },
  { run: 'rollout status deploy/web --timeout=1s', prints: [/Waiting for deployment spec update to be observed/, /timed out/], code: 1 },
  { run: 'rollout history deploy/web', prints: /No rollout history found/ },
  { run: 'rollout undo deploy/web', prints: /no rollout history found for deployment "web"/, code: 1 },
  { run: 'rollout restart deploy/web', prints: /web restarted$/m },
  { run: 'get deploy web -o jsonpath={.spec.template.metadata.annotations}', prints: /restartedAt/ },
  { run: 'rollout pause deploy/web', prints: /web paused$/m },
  { run: 'rollout resume deploy/web', prints: /web resumed$/m },
  { run: 'set resources deploy/web --limits=cpu=200m --requests=cpu=100m', prints: /resource requirements updated/ },
  { run: 'set serviceaccount deploy web robot', prints: /serviceaccount updated/ },
  { run: 'describe deploy web', prints: [/Service Account: {2}robot/, /cpu: +200m/] },

  { run: 'apply -f -', input: node, prints: /n1 created/ },
  { run: 'taint nodes n1 k=v:NoSchedule', prints: /n1 tainted/ },
  { run: 'taint nodes n1 k=v:NoSchedule', prints: /already has k taint/, code: 1 },
  { run: 'taint nodes n1 k-', prints: /n1 untainted/ },
  { run: 'cordon n1', prints: /n1 cordoned/ },
  { run: 'get nodes', prints: /^n1 +Unknown,SchedulingDisabled +<none> /m },
  { run: 'uncordon n1', prints: /n1 uncordoned/ },
  { run: 'drain n1 --dry-run=server', prints: [/cordoned \(server dry run\)/, /drained \(server dry run\)/] },
  { run: 'describe node n1', prints: [/^Unschedulable: +false$/m, /Non-terminated Pods: +\(0 in total\)/] },
  { run: 'top nodes', prints: /Metrics API not available/, code: 1 },

  { run: 'create service nodeport np --tcp=80:8080', prints: /created/ },
  { run: 'set selector svc np app=other', prints: /selector updated/ },
  { run: 'create ingress ing --rule=foo.com/bar=np:80,tls=sec', prints: /created/ },
  { run: 'describe ingress ing', prints: [/sec terminates foo\.com/, /\/bar +np:80/] },
  { run: 'create pdb pdb --selector=app=x --min-available=1', prints: /created/ },
  { run: 'create priorityclass pc --value=100', prints: /created/ },
  { run: 'create clusterrole reader --verb=get,list --resource=nodes', prints: /created/ },
  { run: 'create rolebinding rb --clusterrole=reader --user=bob', prints: /created/ },
  { run: 'set subject rolebinding rb --user=alice', prints: /subjects updated/ },
  { run: 'get rolebinding rb -o wide', prints: /ClusterRole\/reader +\w+ +bob, alice/ },
  { run: ['create', 'cronjob', 'cj', '--image=img', '--schedule=*/5 * * * *'], prints: /created/ },
  { run: 'create job j --from=cronjob/cj', prints: /created/ },
  { run: 'describe job j', prints: [/^Controlled By: +CronJob\/cj$/m, /cronjob\.kubernetes\.io\/instantiate: manual/] },
  { run: 'get cj,jobs', prints: [/^cronjob\.batch\/cj +\*\/5 \* \* \* \* +<none> +False +0 +<none>/m, /^job\.batch\/j +Running +0\/1/m] },

  { run: 'apply -f -', input: signingRequest, prints: /created/ },
  { run: 'certificate approve bob', prints: /bob approved/ },
  { run: 'get csr', prints: /^bob +\S+ +kubernetes\.io\/kube-apiserver-client +kubernetes-admin +<none> +Approved/m },
  { run: 'describe csr bob', prints: /Common Name: +bob/ },

  { run: 'run p --image=img', prints: /created/ },
  { run: 'wait --for=create pod/p --timeout=1s', prints: /condition met/ },
  { run: 'label pod p --list', prints: /^run=p$/m },
  { run: 'debug p --image=tools -c tools --profile=general', prints: /^$/ },
  { run: 'get pod p -o jsonpath={.spec.ephemeralContainers[*].name}', prints: /^tools$/ },
  { run: 'debug p --image=tools -c tools --copy-to=p2 --profile=general', prints: /^$/ },
  { run: 'get pods -o name --sort-by=.metadata.name', prints: /^pod\/p\npod\/p2\n$/ },

  { run: 'apply -f -', input: settings('one', 'two'), prints: /two created/ },
  { run: 'apply --prune -l app=settings -f -', input: settings('one'), prints: [/one (unchanged|configured)/, /two pruned/] },
  { run: 'apply view-last-applied cm one', prints: /app: settings/ },
  { run: 'replace --force -f -', input: settings('one'), prints: [/one" deleted/, /one replaced/] },
  { run: ['apply', '-k', folder], prints: [/configmap\/k-cm created/, /configmap\/k-made-\w+ created/] },
  { run: ['delete', '-k', folder], prints: /"k-cm" deleted/ },

  {
    run: 'api-resources --verbs=list --api-group=apps -o name',
    prints: /^controllerrevisions\.apps\ndaemonsets\.apps\ndeployments\.apps\n/,
  },
  { run: 'version -o yaml', prints: [/serverVersion:/, /gitVersion: v1\.32\./] },
  { run: 'cluster-info dump', prints: [/"kind": "NodeList"/, /"name": "n1"/, /"kind": "DeploymentList"/] },
];

for (const [index, { run, input, prints, code = 0 }] of ROWS.entries()) {
  const command = typeof run === 'string' ? run : run.map((part) => part.replace(server.directory, '')).join(' ');
  test(`${index}: ${command}`, async () => {
    const output = await kubectl.try(run, input);
    const said = output.stdout + output.stderr;
    assert.is(output.code, code, said);
    for (const expected of [prints].flat()) assert.match(said, expected, said);
  });
}

test('get -w says what each change was', async () => {
  const watch = kubectl.start('get pods --output-watch-events -w --no-headers');
  let seen = '';
  let deletion: Promise<string> | undefined;
  const said = new Promise<void>((resolve) => {
    watch.stdout?.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
      if (/^ADDED +p2 /m.test(seen)) deletion ??= kubectl.run('delete pod p2 --now');
      // a line may come in pieces
      if (/^DELETED +p2 .*\n/m.test(seen)) resolve();
    });
    watch.once('close', () => resolve());
  });
  await said;
  await deletion;
  watch.kill('SIGKILL');
  assert.match(seen, /^DELETED +p2 +0\/2 +Terminating/m, seen);
});

test.run();
