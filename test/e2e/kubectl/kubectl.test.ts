/** An unmodified kubectl works against the dialect it knows: one long conversation in one namespace, row by row. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

/** One command and what it must print. */
interface Row {
  readonly name: string;
  /** split at spaces; a list where an argument holds some */
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
}

function conversation(rows: readonly Row[]): void {
  for (const { name, run, input, prints } of rows)
    test(name, async () => {
      const output = await kubectl.run(run, input);
      for (const expected of [prints].flat()) assert.match(output, expected, `kubectl ${run}\n${output}`);
    });
}

conversation([
  {
    name: 'api-resources',
    run: 'api-resources',
    prints: [
      /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND$/m,
      /^pods +po +v1 +true +Pod$/m,
      /^deployments +deploy +apps\/v1 +true +Deployment$/m,
      /^clusterroles +rbac\.authorization\.k8s\.io\/v1 +false +ClusterRole$/m,
    ],
  },
  { name: 'api-resources of one group', run: 'api-resources --api-group=apps -o name', prints: /^deployments\.apps$/m },
  { name: 'api-versions', run: 'api-versions', prints: [/^apps\/v1$/m, /^autoscaling\/v2$/m, /^authorization\.k8s\.io\/v1$/m, /^v1$/m] },
  { name: 'version', run: 'version', prints: /^Server Version: v1\.32\./m },
  { name: 'cluster-info', run: 'cluster-info', prints: new RegExp(`control plane.* is running at .*${server.url}`) },
  { name: 'config view', run: 'config view', prints: [new RegExp(`server: ${server.url}`), /current-context: \S+/, /DATA\+OMITTED/] },
  { name: 'get --raw of a health check', run: 'get --raw /readyz', prints: /^ok$/ },
  { name: 'get --raw of a list', run: 'get --raw /api/v1/namespaces', prints: /^\{"kind":"NamespaceList","apiVersion":"v1"/ },
  {
    name: 'explain',
    run: 'explain deployment.spec.template',
    prints: [
      /^GROUP: +apps$/m,
      /^KIND: +Deployment$/m,
      /^VERSION: +v1$/m,
      /^FIELD: template <PodTemplateSpec>$/m,
      /^ {2}spec\t<PodSpec>$/m,
    ],
  },
  {
    name: 'explain a member of every kind',
    run: 'explain pod.apiVersion',
    prints: [/^FIELD: apiVersion <string>$/m, /Group and version of the schema/],
  },
  { name: 'explain with all fields', run: 'explain service --recursive', prints: [/^KIND: +Service$/m, /^ {4}clusterIP\t<string>$/m] },
  { name: 'who am I', run: 'auth whoami', prints: /system:masters/ },
  { name: 'may I', run: 'auth can-i create deployments', prints: /^yes$/m },
]);

conversation([
  { name: 'create a namespace', run: 'create namespace shop', prints: /^namespace\/shop created$/m },
  { name: 'the namespaces', run: 'get ns', prints: [/^NAME +STATUS +AGE$/m, /^shop +Active +\d+s$/m, /^kube-system +Active/m] },
  { name: 'stay in the namespace', run: 'config set-context --current --namespace=shop', prints: /modified\.$/m },
  { name: 'an empty list', run: 'get pods -o name', prints: /^$/ },
  { name: 'run', run: 'run web --image=nginx:1.27 --labels=app=web', prints: /^pod\/web created$/m },
  {
    name: 'create a deployment',
    run: 'create deployment site --image=nginx:1.27 --replicas=2',
    prints: /^deployment\.apps\/site created$/m,
  },
  { name: 'create a config map', run: 'create configmap settings --from-literal=colour=blue', prints: /^configmap\/settings created$/m },
  { name: 'create a secret', run: 'create secret generic key --from-literal=a=b', prints: /^secret\/key created$/m },
  { name: 'create a service account', run: 'create serviceaccount robot', prints: /^serviceaccount\/robot created$/m },
  {
    name: 'create a role',
    run: 'create role reader --verb=get,list --resource=pods',
    prints: /role\.rbac\.authorization\.k8s\.io\/reader created$/m,
  },
  { name: 'bind the role', run: 'create rolebinding read --role=reader --serviceaccount=shop:robot', prints: /\/read created$/m },
  { name: 'expose', run: 'expose deployment site --port=80 --target-port=8080', prints: /^service\/site exposed$/m },
  { name: 'autoscale', run: 'autoscale deployment site --min=1 --max=5 --cpu-percent=70', prints: /\/site autoscaled$/m },
  {
    name: 'create from a file with several objects',
    run: 'create -f -',
    input: {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', labels: { set: 'few' } } },
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'two', labels: { set: 'few' } } },
      ],
    },
    prints: [/^configmap\/one created$/m, /^lease\.coordination\.k8s\.io\/two created$/m],
  },
  {
    name: 'create with a generated name',
    run: 'create -f -',
    input: 'apiVersion: v1\nkind: Secret\nmetadata: {generateName: key-}\n',
    prints: /^secret\/key-\w{5} created$/m,
  },
  {
    name: 'a dry run stores nothing',
    run: 'create configmap never --dry-run=server',
    prints: /^configmap\/never created \(server dry run\)$/m,
  },
]);

conversation([
  { name: 'a pod', run: 'get pod web', prints: [/^NAME +READY +STATUS +RESTARTS +AGE$/m, /^web +0\/1 +Pending +0 +\d+s$/m] },
  {
    name: 'the same, wide',
    run: 'get pod web -o wide',
    prints: [/AGE +IP +NODE +NOMINATED NODE +READINESS GATES$/m, /<none> +<none> +<none> +<none>$/m],
  },
  {
    name: 'a deployment, wide',
    run: 'get deploy -o wide',
    prints: [
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR$/m,
      /^site +0\/2 +0 +0 +\d+s +nginx +nginx:1\.27 +app=site$/m,
    ],
  },
  { name: 'YAML', run: 'get deployment site -o yaml', prints: [/^apiVersion: apps\/v1$/m, /^kind: Deployment$/m, /^ {2}replicas: 2$/m] },
  { name: 'JSON', run: 'get deployment site -o json', prints: [/"apiVersion": "apps\/v1"/, /"progressDeadlineSeconds": 600/] },
  { name: 'names', run: 'get deployment,configmap -o name', prints: [/^deployment\.apps\/site$/m, /^configmap\/settings$/m] },
  { name: 'a path', run: 'get deployment site -o jsonpath={.spec.template.spec.containers[0].image}', prints: /^nginx:1\.27$/ },
  {
    name: 'columns',
    run: 'get deploy -o custom-columns=WHO:.metadata.name,HOW:.spec.strategy.type',
    prints: [/^WHO +HOW$/m, /^site +RollingUpdate$/m],
  },
  { name: 'a template', run: ['get', 'deploy', '-o', 'go-template={{range .items}}<{{.metadata.name}}>{{end}}'], prints: /^<site>$/ },
  { name: 'by label', run: 'get configmap,lease -l set=few -o name', prints: /^configmap\/one\nlease\.coordination\.k8s\.io\/two\n$/ },
  { name: 'by field', run: 'get pods --field-selector=metadata.name=web,status.phase=Pending -o name', prints: /^pod\/web\n$/ },
  {
    name: 'in all namespaces, sorted',
    run: 'get serviceaccount -A --sort-by=.metadata.name',
    prints: [/^NAMESPACE +NAME +SECRETS +AGE$/m, /^shop +robot +0 +\d+s$/m],
  },
  {
    name: 'in chunks',
    run: 'get configmaps --chunk-size=1 -o name',
    prints: /^configmap\/kube-root-ca\.crt\nconfigmap\/one\nconfigmap\/settings\n$/,
  },
  { name: 'labels as columns', run: 'get pod web --show-labels -L app', prints: [/AGE +APP +LABELS$/m, /web +app=web$/m] },
  {
    name: 'a service',
    run: 'get service site',
    prints: [/^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE$/m, /^site +ClusterIP +[\d.]+ +<none> +80\/TCP +\d+s$/m],
  },
  { name: 'an autoscaler', run: 'get hpa', prints: /^site +Deployment\/site +cpu: <unknown>\/70% +1 +5 +0 +\d+s$/m },
  { name: 'everything', run: 'get all', prints: [/^pod\/web /m, /^service\/site /m, /^deployment\.apps\/site /m] },
]);

conversation([
  { name: 'label', run: 'label pod web tier=front', prints: /^pod\/web labeled$/m },
  { name: 'the label is there', run: 'get pods -l tier=front -o name', prints: /^pod\/web$/m },
  { name: 'label removed', run: 'label pod web tier-', prints: /^pod\/web unlabeled$/m },
  { name: 'annotate', run: 'annotate deployment site note=first', prints: /^deployment\.apps\/site annotated$/m },
  { name: 'scale', run: 'scale deployment site --replicas=3', prints: /^deployment\.apps\/site scaled$/m },
  { name: 'scaled', run: 'get deploy site -o jsonpath={.spec.replicas}', prints: /^3$/ },
  { name: 'set image', run: 'set image deployment/site nginx=nginx:1.28', prints: /^deployment\.apps\/site image updated$/m },
  { name: 'set env', run: 'set env deployment/site MODE=fast', prints: /^deployment\.apps\/site env updated$/m },
  {
    name: 'JSON patch',
    run: ['patch', 'deploy', 'site', '--type=json', '-p', '[{"op":"replace","path":"/spec/replicas","value":4}]'],
    prints: /^deployment\.apps\/site patched$/m,
  },
  { name: 'merge patch', run: ['patch', 'deploy', 'site', '--type=merge', '-p', '{"spec":{"minReadySeconds":7}}'], prints: /patched$/m },
  {
    name: 'strategic merge patch',
    run: ['patch', 'deploy', 'site', '-p', '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","imagePullPolicy":"Always"}]}}}}'],
    prints: /patched$/m,
  },
  {
    name: 'all three patches hold, and the container that was merged kept its image',
    run: [
      'get',
      'deploy',
      'site',
      '-o',
      'jsonpath={.spec.replicas} {.spec.minReadySeconds} {.spec.template.spec.containers[*].image} {..imagePullPolicy}',
    ],
    prints: /^4 7 nginx:1\.28 Always$/,
  },
  {
    name: 'patch that changes nothing',
    run: ['patch', 'deploy', 'site', '-p', '{"spec":{"replicas":4}}'],
    prints: /patched \(no change\)$/m,
  },
  {
    name: 'patch of a subresource',
    run: ['patch', 'deploy', 'site', '--subresource=status', '--type=merge', '-p', '{"status":{"replicas":4}}'],
    prints: /patched$/m,
  },
  {
    name: 'generation counts changes of the spec and the annotations',
    run: 'get deploy site -o jsonpath={.metadata.generation}',
    prints: /^8$/,
  },
  { name: 'rollout pause', run: 'rollout pause deployment/site', prints: /^deployment\.apps\/site paused$/m },
]);

const applied = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'applied', namespace: 'shop' },
  data: { colour, ...(colour === 'red' ? { size: 'big' } : {}) },
});
conversation([
  { name: 'apply creates', run: 'apply -f -', input: applied('red'), prints: /^configmap\/applied created$/m },
  { name: 'apply again', run: 'apply -f -', input: applied('red'), prints: /^configmap\/applied unchanged$/m },
  { name: 'apply a change', run: 'apply -f -', input: applied('green'), prints: /^configmap\/applied configured$/m },
  { name: 'what apply left out is gone', run: 'get cm applied -o jsonpath={.data}', prints: /^\{"colour":"green"\}$/ },
]);

test('diff shows what apply would change', async () => {
  const { code, stdout } = await kubectl.try('diff -f -', applied('blue'));
  assert.is(code, 1);
  assert.match(stdout, /^- +colour: green$/m);
  assert.match(stdout, /^\+ +colour: blue$/m);
});

test('replace: what get -o yaml prints, edited, goes back', async () => {
  const text = await kubectl.run('get deployment site -o yaml');
  const file = path.join(server.directory, 'edited.yaml');
  await writeFile(file, text.replace('replicas: 4', 'replicas: 1'));
  assert.match(await kubectl.run(['replace', '-f', file]), /^deployment\.apps\/site replaced$/m);
  const after = parse(await kubectl.run('get deployment site -o yaml'));
  assert.is(after.spec.replicas, 1);
  assert.is.not(after.metadata.resourceVersion, parse(text).metadata.resourceVersion);

  const stale = await kubectl.try(['replace', '-f', file]);
  assert.is(stale.code, 1);
  assert.match(stale.stderr, /the object has been modified; please apply your changes to the latest version/);
});

test('get -w prints changes as they come', async () => {
  const watching = kubectl.start('get configmap settings -w -o jsonpath={.data.colour}{"\\n"}');
  let seen = '';
  watching.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  try {
    await seenBy(() => seen, /^blue\n/);
    await kubectl.run(['patch', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"colour":"yellow"}}']);
    await seenBy(() => seen, /^blue\nyellow\n$/);
  } finally {
    const ended = once(watching, 'close');
    watching.kill();
    await ended;
  }
});

test('get -w as a table', async () => {
  const watching = kubectl.start('get pods -w');
  let seen = '';
  watching.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  try {
    await seenBy(() => seen, /^web +0\/1 +Pending/m);
    await kubectl.run('run later --image=busybox');
    await seenBy(() => seen, /^later +0\/1 +Pending +0 +\d+s$/m);
    assert.is(seen.match(/^NAME/gm)?.length, 1, seen);
  } finally {
    const ended = once(watching, 'close');
    watching.kill();
    await ended;
  }
});

async function seenBy(output: () => string, expected: RegExp): Promise<void> {
  const until = Date.now() + 20_000;
  while (!expected.test(output())) {
    if (Date.now() > until) throw new Error(`waited for ${expected}, saw:\n${output()}`);
    await sleep(50);
  }
}

test('an event about a pod', async () => {
  const uid = await kubectl.run('get pod web -o jsonpath={.metadata.uid}');
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'web.1', namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop', apiVersion: 'v1', uid },
    type: 'Warning',
    reason: 'FailedScheduling',
    message: 'no nodes are there',
    source: { component: 'scheduler' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 3,
  };
  assert.match(await kubectl.run('create -f -', event), /^event\/web\.1 created$/m);
});

conversation([
  {
    name: 'events',
    run: 'events',
    prints: [/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/m, /Warning +FailedScheduling +Pod\/web +no nodes are there$/m],
  },
  { name: 'events of an object', run: 'events --for=pod/web --types=Warning', prints: /FailedScheduling/ },
  { name: 'get events', run: 'get events', prints: /Warning +FailedScheduling +pod\/web +no nodes are there$/m },
  {
    name: 'describe a pod',
    run: 'describe pod web',
    prints: [
      /^Name: +web$/m,
      /^Namespace: +shop$/m,
      /^Labels: +app=web$/m,
      /^Status: +Pending$/m,
      /^ {4}Image: +nginx:1\.27$/m,
      /^QoS Class: +BestEffort$/m,
      /Warning +FailedScheduling/,
    ],
  },
  {
    name: 'describe a deployment',
    run: 'describe deployment site',
    prints: [
      /^Name: +site$/m,
      /^Annotations: +note: first$/m,
      /^Replicas: +1 desired \| .* 4 total/m,
      /^StrategyType: +RollingUpdate$/m,
      /^RollingUpdateStrategy: +25% max unavailable, 25% max surge$/m,
    ],
  },
  { name: 'describe a service', run: 'describe service site', prints: [/^Selector: +app=site$/m, /^TargetPort: +8080\/TCP$/m] },
  { name: 'describe a role', run: 'describe role reader', prints: /^ {2}pods +\[\] +\[\] +\[get list\]$/m },
  { name: 'describe an autoscaler', run: 'describe hpa site', prints: /resource cpu on pods .*<unknown> \/ 70%/ },
  { name: 'describe the namespace', run: 'describe ns shop', prints: [/^Name: +shop$/m, /^Status: +Active$/m] },
]);

test('what is not allowed is said', async () => {
  await kubectl.run(`config set-credentials alice --token=${server.tokens.alice}`);
  const { code, stderr } = await kubectl.try('get pods --user=alice');
  assert.is(code, 1);
  assert.match(stderr, /Error from server \(Forbidden\): pods is forbidden: User "alice" cannot list resource "pods"/);
});

/** Whether one may do something is an exit code as well. */
const questions: readonly { name: string; run: string; code: number; prints: RegExp }[] = [
  { name: 'the administrator may', run: 'auth can-i delete nodes', code: 0, prints: /^yes$/m },
  { name: 'alice may not', run: 'auth can-i list pods --user=alice', code: 1, prints: /^no$/m },
  { name: 'nobody whom one acts as may', run: 'auth can-i get secrets --as=somebody --as-group=others', code: 1, prints: /^no$/m },
  { name: 'alice may read config maps now', run: 'auth can-i get configmaps -n shop --user=alice', code: 0, prints: /^yes$/m },
  {
    name: 'the account may too',
    run: 'auth can-i get configmaps -n shop --as=system:serviceaccount:shop:clerk',
    code: 0,
    prints: /^yes$/m,
  },
  { name: 'not their subresource', run: 'auth can-i get configmaps --subresource=status -n shop --user=alice', code: 1, prints: /^no$/m },
  { name: 'not in another namespace', run: 'auth can-i get configmaps -n default --user=alice', code: 1, prints: /^no$/m },
  { name: 'a path that is open', run: 'auth can-i get /version --user=alice', code: 0, prints: /^yes$/m },
  { name: 'a path that is not', run: 'auth can-i get /metrics --user=alice', code: 1, prints: /^no$/m },
  { name: 'all that alice may', run: 'auth can-i --list -n shop --user=alice', code: 0, prints: /^configmaps +\[\] +\[\] +\[get list\]$/m },
  {
    name: 'who alice is',
    run: 'auth whoami --user=alice',
    code: 0,
    prints: /^Username +alice$[\s\S]*^Groups +\[dev qa system:authenticated\]$/m,
  },
  { name: 'who somebody is whom one acts as', run: 'auth whoami --as=bob --as-group=team', code: 0, prints: /^Username +bob$/m },
];
const GRANTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'readers', namespace: 'shop' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'readers', namespace: 'shop' },
    subjects: [
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' },
      { kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' },
    ],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'readers' },
  },
];

test('auth reconcile makes and repairs roles and bindings', async () => {
  const input = { apiVersion: 'v1', kind: 'List', items: GRANTS };
  assert.match(
    await kubectl.run('auth reconcile -f -', input),
    /role\.rbac\.authorization\.k8s\.io\/readers reconciled[\s\S]*rolebinding\..*readers reconciled/,
  );
  await kubectl.run(['patch', 'role', 'readers', '-n', 'shop', '-p', '{"rules":null}']);
  await kubectl.run('auth reconcile -f -', input);
  assert.match(await kubectl.run('get role readers -n shop -o jsonpath={.rules[*].verbs[*]}'), /^get list$/);
});
for (const { name, run, code, prints } of questions)
  test(`may I: ${name}`, async () => {
    const output = await kubectl.try(run);
    assert.is(output.code, code, output.stderr);
    assert.match(output.stdout, prints);
  });

const failures: readonly { name: string; run: string; input?: unknown; says: RegExp }[] = [
  { name: 'an object that is not there', run: 'get pod nobody', says: /^Error from server \(NotFound\): pods "nobody" not found$/m },
  { name: 'a resource that is not there', run: 'get unicorns', says: /the server doesn't have a resource type "unicorns"/ },
  { name: 'an object that is there', run: 'create namespace shop', says: /\(AlreadyExists\): namespaces "shop" already exists$/m },
  { name: 'a name that is none', run: 'create configmap Nope', says: /Invalid value: "Nope": a lowercase RFC 1123 subdomain/ },
  {
    name: 'an unknown field',
    run: 'create -f -',
    input: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { replica: 1 } },
    says: /strict decoding error: unknown field "spec\.replica"/,
  },
];
for (const { name, run, input, says } of failures)
  test(`fails with ${name}`, async () => {
    const { code, stdout, stderr } = await kubectl.try(run, input);
    assert.is(code, 1, stdout);
    assert.match(stderr, says, stderr);
  });

test('delete, while another waits for it', async () => {
  const waiting = kubectl.start('wait --for=delete pod/later --timeout=30s -v=6');
  let printed = '';
  for (const stream of [waiting.stdout, waiting.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = once(waiting, 'close');
  await seenBy(() => printed, /watch=true/);
  assert.match(await kubectl.run('delete pod later'), /^pod "later" deleted( from shop namespace)?$/m);
  await ended;
  assert.match(printed, /^pod\/later condition met$/m);
});

conversation([
  { name: 'wait for a value', run: 'wait --for=jsonpath={.spec.replicas}=1 deployment/site --timeout=10s', prints: /condition met$/m },
  {
    name: 'delete by label',
    run: 'delete configmap,lease -l set=few',
    prints: [/^configmap "one" deleted( from shop namespace)?$/m, /"two" deleted( from shop namespace)?$/m],
  },
  {
    name: 'delete several kinds',
    run: 'delete pod/web service/site hpa/site',
    prints: [/^pod "web" deleted( from shop namespace)?$/m, /^service "site" deleted( from shop namespace)?$/m],
  },
  { name: 'delete all of a kind', run: 'delete deployments --all', prints: /^deployment\.apps "site" deleted( from shop namespace)?$/m },
  { name: 'they are gone', run: 'get all -o name', prints: /^$/ },
  { name: 'delete the namespace', run: 'delete namespace shop --wait=false', prints: /^namespace "shop" deleted$/m },
]);

test('the log holds no fault of the server', () => {
  assert.ok(server.running());
  assert.equal(server.faults(), []);
});

test.run();
