/** What 1.32 answers, to the word, where a request or its Accept header is wrong; and how discovery is written as protobuf. */
import path from 'node:path';
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { projectRoot, startServer, type TestServer } from '../../harness/server.ts';

const test = suite('refusals in the words of 1.32');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({
    dialect: 'kubernetes',
    flags: ['--controllers=-*', '--runtime-config=api/all=true', '--disable-admission-plugins=ServiceAccount'],
  });
  client = new Client(server);
  await client.post(PODS, { metadata: { name: 'p' }, spec: { nodeName: 'gone', containers: [{ name: 'c', image: 'i' }] } });
  await client.post(`${MAPS}`, {
    metadata: { name: 'words' },
    data: { a: 'true', b: '12', c: 'plain', d: '', e: 'a: b', f: '1:30', g: '2024-01-02' },
  });
});
test.after(async () => void (await server.stop()));

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const AS_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const AS_ONE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const UNRECOGNIZED = "the object provided is unrecognized (must be of type Namespace): couldn't get version/kind; json parse error: ";

interface Wrong {
  readonly method?: string;
  readonly path: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: string;
  readonly status: number;
  /** the message, or its beginning */
  readonly message?: string;
}

const rows: readonly [name: string, wrong: Wrong][] = [
  [
    'YAML that says it is JSON',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      body: 'kind: Namespace\napiVersion: v1\nmetadata: {}',
      status: 400,
      message: `${UNRECOGNIZED}invalid character 'k' looking for beginning of value (6b696e643a204e616d6573706163650a61706956657273696f6e3a207631 ...)`,
    },
  ],
  [
    'JSON that breaks off',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      body: '{"kind":',
      status: 400,
      message: `${UNRECOGNIZED}unexpected end of JSON input ({"kind":)`,
    },
  ],
  [
    'no body',
    { method: 'POST', path: '/api/v1/namespaces', status: 400, message: `${UNRECOGNIZED}unexpected end of JSON input (<empty>)` },
  ],
  [
    'a list for an object',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      body: '[]',
      status: 400,
      message: `${UNRECOGNIZED}json: cannot unmarshal array into Go value`,
    },
  ],
  ['a form that there is not, before a selector that is none', { path: `${MAPS}?labelSelector=%3D`, accept: 'text/html', status: 406 }],
  ['a form that there is not, before a limit that is none', { path: `${MAPS}?limit=x`, accept: 'text/html', status: 406 }],
  [
    'a form that there is not, before a match that does not fit',
    { path: `${MAPS}?resourceVersionMatch=x`, accept: 'text/html', status: 406 },
  ],
  ['a form that there is not, before a token that is none', { path: `${MAPS}?continue=x&limit=1`, accept: 'text/html', status: 406 }],
  [
    'a type of patch that is none, before a form that there is not',
    { method: 'PATCH', path: `${MAPS}/words`, accept: 'text/html', type: 'text/plain', body: 'x', status: 415 },
  ],
  [
    'a watch that goes on',
    {
      path: `${MAPS}?watch=1&continue=abc`,
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    },
  ],
  [
    'a list of one object',
    {
      path: `${PODS}/p`,
      accept: AS_LIST,
      status: 406,
      message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)',
    },
  ],
  [
    'one object of a list',
    {
      path: PODS,
      accept: AS_ONE,
      status: 406,
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)',
    },
  ],
  [
    'one object of a list of another group',
    {
      path: '/apis/apps/v1/deployments',
      accept: AS_ONE,
      status: 406,
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*apps.DeploymentList)',
    },
  ],
  [
    'one object of a list whose package has another name than its group',
    {
      path: '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions',
      accept: AS_ONE,
      status: 406,
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*apiserverinternal.StorageVersionList)',
    },
  ],
  ['a form that no list has, behind a token that is none', { path: `${PODS}?continue=x`, accept: AS_ONE, status: 400 }],
  ['logs of a pod whose node has gone', { path: `${PODS}/p/log`, status: 404, message: 'pods "gone" not found' }],
  ['commands in it', { method: 'POST', path: `${PODS}/p/exec?command=x`, status: 404, message: 'pods "gone" not found' }],
  ['its ports', { path: `${PODS}/p/portforward`, status: 404, message: 'pods "gone" not found' }],
  [
    'a review without its namespace',
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/localsubjectaccessreviews',
      body: '{}',
      status: 404,
      message: 'the server could not find the requested resource',
    },
  ],
  [
    'a binding without its namespace',
    { method: 'POST', path: '/api/v1/bindings', body: '{}', status: 404, message: 'the server could not find the requested resource' },
  ],
  [
    'the older path of proxies',
    { path: '/api/v1/proxy/namespaces/default/services/x', status: 404, message: 'the server could not find the requested resource' },
  ],
];
for (const [
  name,
  { method = 'GET', path: target, accept = 'application/json', type = 'application/json', body, status, message = '' },
] of rows)
  test(name, async () => {
    const answer = await client.request(method, target, { headers: { accept, 'content-type': type }, body });
    assert.is(answer.status, status, answer.text);
    assert.is(String(answer.body?.message ?? answer.text).startsWith(message), true, answer.text);
  });

test('half a wildcard is JSON at the roots and of groups alone', async () => {
  const seen = await Promise.all(
    ['/api', '/apis', '/apis/apps', '/api/v1'].map(async (target) => (await client.get(target, { accept: 'application/*' })).status),
  );
  assert.equal(seen, [200, 200, 200, 406]);
});

test('the older path of proxies is judged as the verb proxy', async () => {
  const alice = new Client(server, server.tokens.alice);
  const { status, body } = await alice.get('/api/v1/proxy/namespaces/default/services/x');
  assert.is(status, 403);
  assert.match(
    body.message,
    /services "x" is forbidden: User "alice" cannot proxy resource "services" in API group "" in the namespace "default"/,
  );
});

test('capacities of storage have the default columns', async () => {
  const { body } = await client.get('/apis/storage.k8s.io/v1/csistoragecapacities', {
    accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  });
  assert.equal(
    body.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Created At'],
  );
});

test('YAML has double quotes around what would be no text, and single ones where the syntax needs them', async () => {
  const { text } = await client.get(`${MAPS}/words`, { accept: 'application/yaml' });
  const data = /^data:\n((?: {2}.*\n)*)/m.exec(text)?.[1];
  assert.is(data, ['  a: "true"', '  b: "12"', '  c: plain', '  d: ""', "  e: 'a: b'", '  f: "1:30"', '  g: "2024-01-02"', ''].join('\n'));
  assert.match(text, /^ {2}creationTimestamp: "\d{4}-.*Z"\n/m);
});

test('discovery as protobuf is of version v1, but for /api, with its verbs in a message of their own', async () => {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => (path.isAbsolute(target) ? target : path.join(projectRoot, 'schemas', target));
  await root.load(path.join(projectRoot, 'schemas/meta/v1/types.proto'), { keepCase: true });
  const unwrapped = async (target: string): Promise<{ envelope: string; message: Record<string, unknown> }> => {
    const { bytes } = await client.get(target, { accept: 'application/vnd.kubernetes.protobuf' });
    const unknown = root.lookupType('io.k8s.apimachinery.pkg.runtime.Unknown').decode(bytes.subarray(4)) as unknown as {
      typeMeta: { apiVersion: string; kind: string };
      raw: Uint8Array;
    };
    const { apiVersion, kind } = unknown.typeMeta;
    const type = root.lookupType(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
    return { envelope: `${apiVersion} ${kind}`, message: type.toObject(type.decode(unknown.raw)) };
  };
  const envelopes = await Promise.all(
    ['/api', '/apis', '/apis/apps', '/apis/apps/v1'].map(async (target) => (await unwrapped(target)).envelope),
  );
  assert.equal(envelopes, [' APIVersions', 'v1 APIGroupList', 'v1 APIGroup', 'v1 APIResourceList']);
  const { message } = await unwrapped('/apis/apps/v1');
  const { body } = await client.get('/apis/apps/v1');
  const verbs = (resources: { name: string; verbs: { items: string[] } | string[] }[]) =>
    resources.map(({ name, verbs: all }) => [name, ...(Array.isArray(all) ? all : all.items)]);
  assert.equal(verbs(message.resources as never), verbs(body.resources));
});

test.run();
