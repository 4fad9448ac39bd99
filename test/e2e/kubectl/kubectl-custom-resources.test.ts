/** An unmodified kubectl defines a kind, and works with its objects as with those of any other: one conversation, row by row. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl and custom resources');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [
          { name: 'Spec', type: 'string', description: 'When it runs.', jsonPath: '.spec.cronSpec' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A CronTab runs an image by a schedule.',
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted.',
                required: ['cronSpec'],
                properties: {
                  cronSpec: { type: 'string', description: 'When it runs.', pattern: String.raw`^(\S+ ){4}\S+$` },
                  image: { type: 'string' },
                  replicas: { type: 'integer', minimum: 1, default: 1 },
                  ports: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, port: { type: 'integer' } } },
                  },
                },
              },
              status: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  conditions: {
                    type: 'array',
                    items: { type: 'object', properties: { type: { type: 'string' }, status: { type: 'string' } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
const cronTab = (name: string, spec: object) => ({ apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name }, spec });
const nightly = (more: object = {}) => cronTab('nightly', { cronSpec: '0 3 * * *', image: 'tidy:1', ...more });

/** One command and what it must print. */
interface Row {
  readonly name: string;
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
  /** what kubectl fails with where it comes before a controller does; it is asked again then */
  readonly comesEarly?: RegExp;
}

function conversation(rows: readonly Row[]): void {
  for (const { name, run, input, prints, comesEarly } of rows)
    test(name, async () => {
      const output = await inTime(() => kubectl.run(run, input), comesEarly);
      for (const expected of [prints].flat()) assert.match(output, expected, `kubectl ${run}\n${output}`);
    });
}

async function inTime(attempt: () => Promise<string>, comesEarly: RegExp | undefined): Promise<string> {
  for (;;)
    try {
      return await attempt();
    } catch (error) {
      if (comesEarly?.test((error as Error).message) !== true) throw error;
    }
}

conversation([
  {
    name: 'create a definition',
    run: 'create -f -',
    input: definition,
    prints: /^customresourcedefinition\.apiextensions\.k8s\.io\/crontabs\.stable\.example\.com created$/m,
  },
  {
    name: 'wait until it is established',
    run: 'wait --for=condition=Established crd/crontabs.stable.example.com --timeout=20s',
    prints: /condition met$/m,
    // what has no condition yet has `conditions: null`, as in 1.32
    comesEarly: /conditions accessor error: <nil>/,
  },
  { name: 'get definitions', run: 'get crd', prints: [/^NAME +CREATED AT$/m, /^crontabs\.stable\.example\.com +\d{4}-/m] },
  {
    name: 'api-resources has it',
    run: 'api-resources --api-group=stable.example.com',
    prints: /^crontabs +ct +stable\.example\.com\/v1 +true +CronTab$/m,
  },
  {
    name: 'explain',
    run: 'explain crontab',
    prints: [
      /^GROUP: +stable\.example\.com$/m,
      /^KIND: +CronTab$/m,
      /A CronTab runs an image by a schedule\./,
      /^ {2}kind\t<string>\n {4}Kind of the object/m,
      /^ {2}metadata\t<ObjectMeta>$/m,
    ],
  },
  {
    name: 'explain a member',
    run: 'explain ct.spec.cronSpec',
    prints: [/^FIELD: cronSpec <string>$/m, /When it runs\./],
  },
  {
    name: 'explain with all fields',
    run: 'explain crontab --recursive',
    prints: [
      /^ {2}spec\t<Object>$/m,
      /^ {4}cronSpec\t<string> -required-$/m,
      /^ {4}ports\t<\[\]Object>$/m,
      /^ {4}resourceVersion\t<string>$/m,
    ],
  },
  { name: 'apply what is not there', run: 'apply -f -', input: nightly(), prints: /^crontab\.stable\.example\.com\/nightly created$/m },
  { name: 'apply the same', run: 'apply -f -', input: nightly(), prints: /\/nightly unchanged$/m },
  { name: 'apply a change', run: 'apply -f -', input: nightly({ image: 'tidy:2' }), prints: /\/nightly configured$/m },
  {
    name: 'apply on the server',
    run: 'apply --server-side --field-manager=other -f -',
    input: cronTab('nightly', { ports: [{ name: 'web', port: 80 }] }),
    prints: /\/nightly serverside-applied$/m,
  },
  {
    name: 'a difference',
    run: ['get', 'crontab', 'nightly', '-o', 'jsonpath={.spec}'],
    prints: /^\{"cronSpec":"0 3 \* \* \*","image":"tidy:2","ports":\[\{"name":"web","port":80\}\],"replicas":1\}$/,
  },
  { name: 'get', run: 'get ct', prints: [/^NAME +SPEC +AGE$/m, /^nightly +0 3 \* \* \* +\d+s$/m] },
  {
    name: 'get, wide',
    run: 'get crontabs -o wide',
    prints: [/^NAME +SPEC +REPLICAS +AGE$/m, /^nightly +0 3 \* \* \* +1 +\d+s$/m],
  },
  { name: 'get all', run: 'get all', prints: /^crontab\.stable\.example\.com\/nightly +0 3 \* \* \*/m },
  { name: 'describe', run: 'describe crontab nightly', prints: [/^Kind: +CronTab$/m, /^ {2}Cron Spec: +0 3 \* \* \*$/m] },
  { name: 'scale', run: 'scale crontab nightly --replicas=3', prints: /\/nightly scaled$/m },
  { name: 'patch', run: ['patch', 'ct', 'nightly', '--type=merge', '-p', '{"spec":{"image":"tidy:3"}}'], prints: /\/nightly patched$/m },
  {
    name: 'patch the status',
    run: [
      'patch',
      'ct',
      'nightly',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    ],
    prints: /\/nightly patched$/m,
  },
  { name: 'wait for a condition', run: 'wait --for=condition=Ready crontab/nightly --timeout=20s', prints: /condition met$/m },
  { name: 'wait for a value', run: 'wait --for=jsonpath={.spec.replicas}=3 crontab/nightly --timeout=20s', prints: /condition met$/m },
  { name: 'label and select', run: 'label ct nightly team=night', prints: /\/nightly labeled$/m },
  { name: 'select by the label', run: 'get ct -l team=night -o name', prints: /^crontab\.stable\.example\.com\/nightly$/m },
]);

test('edit', async () => {
  const editor = path.join(server.directory, 'editor.sh');
  await writeFile(editor, '#!/bin/sh\nsed -i "s/tidy:3/tidy:4/" "$1"\n');
  await chmod(editor, 0o700);
  const { code, stdout, stderr } = await kubectl.try('edit crontab nightly', undefined, { KUBE_EDITOR: editor });
  assert.is(code, 0, stderr);
  assert.match(stdout, /^crontab\.stable\.example\.com\/nightly edited$/m);
  assert.is(await kubectl.run(['get', 'ct', 'nightly', '-o', 'jsonpath={.spec.image}']), 'tidy:4');
});

const failures: readonly { name: string; run: string | readonly string[]; input?: unknown; says: RegExp }[] = [
  {
    name: 'a value that the schema does not allow',
    run: 'create -f -',
    input: cronTab('wrong', { cronSpec: 'often', replicas: 0 }),
    says: /^\* spec\.cronSpec: Invalid value: "often": spec\.cronSpec in body should match '.*'\n\* spec\.replicas: Invalid value: 0: spec\.replicas in body should be greater than or equal to 1$/m,
  },
  {
    name: 'an unknown member',
    run: 'create -f -',
    input: cronTab('wrong', { cronSpec: '* * * * *', replica: 2 }),
    says: /strict decoding error: unknown field "spec\.replica"/,
  },
  {
    name: 'a strategic merge patch',
    run: ['patch', 'ct', 'nightly', '-p', '{"spec":{}}'],
    says: /the body of the request was in an unknown format|unable to find api field|UnsupportedMediaType/,
  },
];
for (const { name, run, input, says } of failures)
  test(`fails with ${name}`, async () => {
    const { code, stdout, stderr } = await kubectl.try(run, input);
    assert.is(code, 1, stdout);
    assert.match(stderr, says, stderr);
  });

test('edit of the definition is seen at once', async () => {
  const editor = path.join(server.directory, 'editor.sh');
  await writeFile(editor, '#!/bin/sh\nsed -i "s/When it runs\\./Five words of a schedule./" "$1"\n');
  const { code, stderr } = await kubectl.try('edit crd crontabs.stable.example.com', undefined, { KUBE_EDITOR: editor });
  assert.is(code, 0, stderr);
  assert.match(await kubectl.run('explain crontab.spec.cronSpec'), /Five words of a schedule\./);
});

conversation([
  { name: 'create another object', run: 'create -f -', input: cronTab('hourly', { cronSpec: '0 * * * *' }), prints: /\/hourly created$/m },
  {
    name: 'delete an object',
    run: 'delete crontab hourly',
    prints: /^crontab\.stable\.example\.com "hourly" deleted( from default namespace)?$/m,
  },
  {
    name: 'delete the definition, which waits for its objects',
    run: 'delete crd crontabs.stable.example.com --timeout=30s',
    prints: /^customresourcedefinition\.apiextensions\.k8s\.io "crontabs\.stable\.example\.com" deleted$/m,
  },
]);

test('nothing is left of it', async () => {
  const { code, stderr } = await kubectl.try('get --raw /apis/stable.example.com/v1/crontabs');
  assert.is(code, 1);
  assert.match(stderr, /NotFound|404 page not found/);
  assert.not.match(await kubectl.run('api-resources --cached=false'), /crontabs/);
});

test('the log holds no fault of the server', () => {
  assert.ok(server.running());
  assert.equal(server.faults(), []);
});

test.run();
