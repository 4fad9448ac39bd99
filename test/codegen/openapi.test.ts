import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitOpenapi } from '../../codegen/emit/openapi.ts';
import type { OpenapiDocument, Operation, Parameter, PathItem, Schema } from '../../runtime/openapi/document.ts';
import { documentText } from '../../runtime/openapi/document-text.ts';
import { readModel } from '../openapi/documents.ts';

const test = suite('emitted OpenAPI documents');
const model = await readModel();
const documents = new Map(model.groupVersions.map((each) => [each.folder, emitOpenapi(model, each)]));

function documentOf(folder: string): OpenapiDocument {
  const document = documents.get(folder);
  if (document === undefined) throw new Error(`no ${folder}`);
  return document;
}

function schemaOf(folder: string, definition: string): Schema {
  const schema = documentOf(folder).components.schemas[definition];
  if (schema === undefined) throw new Error(`no ${definition}`);
  return withoutDescriptions(schema);
}

function withoutDescriptions<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'description' && typeof member === 'string' ? undefined : member)));
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const reference = (definition: string) => ({ $ref: `#/components/schemas/${definition}` });

// Property forms as a 1.32 server publishes them.
const properties: { name: string; folder: string; of: string; want: Schema }[] = [
  {
    name: 'a struct that is always there has an empty default',
    folder: 'apps/v1',
    of: 'io.k8s.api.apps.v1.DeploymentSpec template',
    want: { allOf: [reference('io.k8s.api.core.v1.PodTemplateSpec')], default: {} },
  },
  {
    name: 'a struct behind a pointer has none',
    folder: 'apps/v1',
    of: 'io.k8s.api.apps.v1.DeploymentSpec selector',
    want: { allOf: [reference(`${META}.LabelSelector`)] },
  },
  {
    name: 'a patch strategy of a struct',
    folder: 'apps/v1',
    of: 'io.k8s.api.apps.v1.DeploymentSpec strategy',
    want: { allOf: [reference('io.k8s.api.apps.v1.DeploymentStrategy')], default: {}, 'x-kubernetes-patch-strategy': 'retainKeys' },
  },
  {
    name: 'a required text defaults to none',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.EnvVar name',
    want: { type: 'string', default: '' },
  },
  { name: 'an optional text has no default', folder: 'core/v1', of: 'io.k8s.api.core.v1.EnvVar value', want: { type: 'string' } },
  {
    name: 'a required number defaults to zero',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ContainerPort containerPort',
    want: { type: 'integer', format: 'int32', default: 0 },
  },
  {
    name: 'a declared default, and a closed set in order',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ContainerPort protocol',
    want: { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
  },
  {
    name: 'a default that is applied, but not published',
    folder: 'apps/v1',
    of: 'io.k8s.api.apps.v1.DeploymentSpec replicas',
    want: { type: 'integer', format: 'int32' },
  },
  {
    name: 'a time has no default',
    folder: 'core/v1',
    of: `${META}.ObjectMeta creationTimestamp`,
    want: { allOf: [reference(`${META}.Time`)] },
  },
  {
    name: 'a number or text has no default',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ServicePort targetPort',
    want: { allOf: [reference('io.k8s.apimachinery.pkg.util.intstr.IntOrString')] },
  },
  {
    name: 'elements of a list of text',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.Container args',
    want: { type: 'array', items: { type: 'string', default: '' }, 'x-kubernetes-list-type': 'atomic' },
  },
  {
    name: 'elements of a list of structs, with all merge markers',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ServiceSpec ports',
    want: {
      type: 'array',
      items: { allOf: [reference('io.k8s.api.core.v1.ServicePort')], default: {} },
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'port',
      'x-kubernetes-patch-strategy': 'merge',
    },
  },
  {
    name: 'several patch strategies',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.PodSpec volumes',
    want: {
      type: 'array',
      items: { allOf: [reference('io.k8s.api.core.v1.Volume')], default: {} },
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
    },
  },
  {
    name: 'values of a map of text, replaced as a whole',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ServiceSpec selector',
    want: { type: 'object', additionalProperties: { type: 'string', default: '' }, 'x-kubernetes-map-type': 'atomic' },
  },
  {
    name: 'values of a map of bytes have no default',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ConfigMap binaryData',
    want: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  },
  {
    name: 'values of a map of quantities are bare references',
    folder: 'core/v1',
    of: 'io.k8s.api.core.v1.ResourceRequirements limits',
    want: { type: 'object', additionalProperties: reference('io.k8s.apimachinery.pkg.api.resource.Quantity') },
  },
  {
    name: 'values of a map of lists',
    folder: 'authentication/v1',
    of: 'io.k8s.api.authentication.v1.UserInfo extra',
    want: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', default: '' } } },
  },
];

for (const { name, folder, of, want } of properties)
  test(`property: ${name}`, () => {
    const [definition = '', property = ''] = of.split(' ');
    assert.equal(schemaOf(folder, definition).properties?.[property], want);
  });

const definitions: { name: string; folder: string; definition: string; want: Schema }[] = [
  { name: 'a time', folder: 'apps/v1', definition: `${META}.Time`, want: { type: 'string', format: 'date-time' } },
  {
    name: 'a number or text',
    folder: 'apps/v1',
    definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    want: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  {
    name: 'a quantity',
    folder: 'apps/v1',
    definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    want: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  { name: 'a set of fields', folder: 'apps/v1', definition: `${META}.FieldsV1`, want: { type: 'object' } },
  { name: 'a patch', folder: 'apps/v1', definition: `${META}.Patch`, want: { type: 'object' } },
  {
    name: 'a struct that is replaced as a whole',
    folder: 'core/v1',
    definition: 'io.k8s.api.core.v1.NodeSelector',
    want: {
      type: 'object',
      required: ['nodeSelectorTerms'],
      properties: {
        nodeSelectorTerms: {
          type: 'array',
          items: { allOf: [reference('io.k8s.api.core.v1.NodeSelectorTerm')], default: {} },
          'x-kubernetes-list-type': 'atomic',
        },
      },
      'x-kubernetes-map-type': 'atomic',
    },
  },
];

for (const { name, folder, definition, want } of definitions)
  test(`definition: ${name}`, () => assert.equal(schemaOf(folder, definition), want));

test('members of an inline struct stand among the others', () => {
  const selector = schemaOf('core/v1', 'io.k8s.api.core.v1.ConfigMapKeySelector');
  assert.equal(Object.keys(selector.properties ?? {}), ['key', 'name', 'optional']);
  assert.equal(selector.required, ['key']);
});

const KINDS = 'x-kubernetes-group-version-kind';
const kinds: { name: string; definition: string; want: object[] }[] = [
  { name: 'a kind', definition: 'io.k8s.api.apps.v1.Deployment', want: [{ group: 'apps', kind: 'Deployment', version: 'v1' }] },
  {
    name: 'a list kind',
    definition: 'io.k8s.api.apps.v1.DeploymentList',
    want: [{ group: 'apps', kind: 'DeploymentList', version: 'v1' }],
  },
  {
    name: 'a kind of another group',
    definition: 'io.k8s.api.autoscaling.v1.Scale',
    want: [{ group: 'autoscaling', kind: 'Scale', version: 'v1' }],
  },
  { name: 'errors are of no group', definition: `${META}.Status`, want: [{ group: '', kind: 'Status', version: 'v1' }] },
];
for (const { name, definition, want } of kinds)
  test(`group version kind: ${name}`, () => assert.equal(schemaOf('apps/v1', definition)[KINDS], want));

for (const kind of ['DeleteOptions', 'WatchEvent'])
  test(`group version kind: ${kind} is a kind of every group version but the machinery's`, () => {
    const listed = schemaOf('apps/v1', `${META}.${kind}`)[KINDS] as { group: string; kind: string; version: string }[];
    const texts = listed.map(({ group, version }) => `${group}/${version}`);
    assert.equal(texts, texts.toSorted());
    const served = model.groupVersions.filter((each) => each.resources.length > 0).map(({ group, version }) => `${group}/${version}`);
    for (const groupVersion of served) assert.ok(texts.includes(groupVersion), groupVersion);
    assert.not.ok(texts.some((text) => text.startsWith('meta.')));
  });

const DEPLOYMENTS = '/apis/apps/v1/namespaces/{namespace}/deployments';
const operations: {
  at: [folder: string, path: string, method: keyof PathItem];
  id: string;
  action: string;
  kind?: string;
  statuses: string[];
}[] = [
  { at: ['apps/v1', DEPLOYMENTS, 'get'], id: 'listAppsV1NamespacedDeployment', action: 'list', statuses: ['200', '401'] },
  { at: ['apps/v1', DEPLOYMENTS, 'post'], id: 'createAppsV1NamespacedDeployment', action: 'post', statuses: ['200', '201', '202', '401'] },
  {
    at: ['apps/v1', DEPLOYMENTS, 'delete'],
    id: 'deleteAppsV1CollectionNamespacedDeployment',
    action: 'deletecollection',
    statuses: ['200', '401'],
  },
  { at: ['apps/v1', `${DEPLOYMENTS}/{name}`, 'get'], id: 'readAppsV1NamespacedDeployment', action: 'get', statuses: ['200', '401'] },
  {
    at: ['apps/v1', `${DEPLOYMENTS}/{name}`, 'put'],
    id: 'replaceAppsV1NamespacedDeployment',
    action: 'put',
    statuses: ['200', '201', '401'],
  },
  {
    at: ['apps/v1', `${DEPLOYMENTS}/{name}`, 'patch'],
    id: 'patchAppsV1NamespacedDeployment',
    action: 'patch',
    statuses: ['200', '201', '401'],
  },
  {
    at: ['apps/v1', `${DEPLOYMENTS}/{name}`, 'delete'],
    id: 'deleteAppsV1NamespacedDeployment',
    action: 'delete',
    statuses: ['200', '202', '401'],
  },
  {
    at: ['apps/v1', `${DEPLOYMENTS}/{name}/scale`, 'put'],
    id: 'replaceAppsV1NamespacedDeploymentScale',
    action: 'put',
    kind: 'autoscaling/v1 Scale',
    statuses: ['200', '201', '401'],
  },
  {
    at: ['apps/v1', '/apis/apps/v1/deployments', 'get'],
    id: 'listAppsV1DeploymentForAllNamespaces',
    action: 'list',
    statuses: ['200', '401'],
  },
  {
    at: ['apps/v1', '/apis/apps/v1/watch/deployments', 'get'],
    id: 'watchAppsV1DeploymentListForAllNamespaces',
    action: 'watchlist',
    statuses: ['200', '401'],
  },
  {
    at: ['apps/v1', '/apis/apps/v1/watch/namespaces/{namespace}/deployments', 'get'],
    id: 'watchAppsV1NamespacedDeploymentList',
    action: 'watchlist',
    statuses: ['200', '401'],
  },
  {
    at: ['apps/v1', '/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}', 'get'],
    id: 'watchAppsV1NamespacedDeployment',
    action: 'watch',
    statuses: ['200', '401'],
  },
  { at: ['core/v1', '/api/v1/nodes/{name}', 'get'], id: 'readCoreV1Node', action: 'get', kind: '/v1 Node', statuses: ['200', '401'] },
  {
    at: ['core/v1', '/api/v1/watch/nodes', 'get'],
    id: 'watchCoreV1NodeList',
    action: 'watchlist',
    kind: '/v1 Node',
    statuses: ['200', '401'],
  },
  {
    at: ['core/v1', '/api/v1/namespaces/{namespace}/pods/{name}/exec', 'post'],
    id: 'connectCoreV1PostNamespacedPodExec',
    action: 'connect',
    kind: '/v1 PodExecOptions',
    statuses: ['200', '401'],
  },
  {
    at: ['core/v1', '/api/v1/nodes/{name}/proxy/{path}', 'options'],
    id: 'connectCoreV1OptionsNodeProxyWithPath',
    action: 'connect',
    kind: '/v1 NodeProxyOptions',
    statuses: ['200', '401'],
  },
  {
    at: ['core/v1', '/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token', 'post'],
    id: 'createCoreV1NamespacedServiceAccountToken',
    action: 'post',
    kind: 'authentication.${groupDomain}/v1 TokenRequest',
    statuses: ['200', '201', '202', '401'],
  },
  {
    at: ['rbac/v1', '/apis/rbac.authorization.${groupDomain}/v1/clusterroles', 'get'],
    id: 'listRbacAuthorizationV1ClusterRole',
    action: 'list',
    kind: 'rbac.authorization.${groupDomain}/v1 ClusterRole',
    statuses: ['200', '401'],
  },
];

function itemAt(folder: string, path: string): PathItem {
  const item = documentOf(folder).paths[path];
  if (item === undefined) throw new Error(`no ${path}`);
  return item;
}

for (const { at, id, action, kind = 'apps/v1 Deployment', statuses } of operations)
  test(`operation ${id}`, () => {
    const [folder, path, method] = at;
    const operation = itemAt(folder, path)[method] as Operation;
    assert.is(operation.operationId, id);
    assert.is(operation['x-kubernetes-action'], action);
    const { group, version, kind: name } = operation[KINDS] ?? {};
    assert.is(`${group}/${version} ${name}`, kind);
    assert.equal(Object.keys(operation.responses), statuses);
  });

const LIST_OPTIONS = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const DELETE_OPTIONS = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const POD = '/api/v1/namespaces/{namespace}/pods/{name}';
const parameters: { name: string; folder: string; path: string; shared: string[]; own?: Record<string, string[]> }[] = [
  {
    name: 'of a collection',
    folder: 'apps/v1',
    path: DEPLOYMENTS,
    shared: ['namespace', 'pretty'],
    own: {
      get: LIST_OPTIONS,
      post: ['dryRun', 'fieldManager', 'fieldValidation'],
      delete: [...DELETE_OPTIONS, ...LIST_OPTIONS.filter((each) => each !== 'watch' && each !== 'allowWatchBookmarks')].sort(),
    },
  },
  {
    name: 'of one object',
    folder: 'apps/v1',
    path: `${DEPLOYMENTS}/{name}`,
    shared: ['name', 'namespace', 'pretty'],
    own: { get: [], patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'], delete: DELETE_OPTIONS },
  },
  {
    name: 'of a single operation',
    folder: 'apps/v1',
    path: '/apis/apps/v1/deployments',
    shared: [...LIST_OPTIONS, 'pretty'].sort(),
    own: { get: [] },
  },
  {
    name: 'of logs, without those that a query cannot carry',
    folder: 'core/v1',
    path: `${POD}/log`,
    shared: [
      'container',
      'follow',
      'insecureSkipTLSVerifyBackend',
      'limitBytes',
      'name',
      'namespace',
      'pretty',
      'previous',
      'sinceSeconds',
      'stream',
      'tailLines',
      'timestamps',
    ],
  },
  {
    name: 'of a connection',
    folder: 'core/v1',
    path: `${POD}/exec`,
    shared: ['command', 'container', 'name', 'namespace', 'stderr', 'stdin', 'stdout', 'tty'],
  },
  { name: 'of a proxy below a path', folder: 'core/v1', path: `${POD}/proxy/{path}`, shared: ['name', 'namespace', 'path', 'path'] },
];
for (const { name, folder, path, shared, own = {} } of parameters)
  test(`parameters ${name}`, () => {
    const item = itemAt(folder, path);
    const names = (list: readonly Parameter[] = []) => list.map((parameter) => parameter.name);
    assert.equal(names(item.parameters), shared);
    for (const [method, want] of Object.entries(own)) assert.equal(names((item[method as keyof PathItem] as Operation).parameters), want);
  });

test('a proxy takes every method', () => {
  const methods = Object.keys(itemAt('core/v1', `${POD}/proxy`)).filter((key) => key !== 'parameters');
  assert.equal(methods, ['delete', 'get', 'head', 'options', 'patch', 'post', 'put']);
});

test('logs are text, in whatever type they are asked for', () => {
  const { content = {} } = itemAt('core/v1', `${POD}/log`).get?.responses['200'] ?? {};
  assert.equal(Object.keys(content), ['application/json', 'application/vnd.${mediaProduct}.protobuf', 'application/yaml', 'text/plain']);
  for (const { schema } of Object.values(content)) assert.equal(schema, { type: 'string' });
});

test('lists and watches can be streamed, but not as YAML', () => {
  const { content = {} } = itemAt('apps/v1', DEPLOYMENTS).get?.responses['200'] ?? {};
  const protobuf = 'application/vnd.${mediaProduct}.protobuf';
  assert.equal(Object.keys(content), [
    'application/json',
    'application/json;stream=watch',
    protobuf,
    `${protobuf};stream=watch`,
    'application/yaml',
  ]);
});

test('a delete that answers with the object says so', () => {
  const answer = (folder: string, path: string) => itemAt(folder, path).delete?.responses['200']?.content?.['application/json']?.schema;
  assert.equal(answer('core/v1', POD), reference('io.k8s.api.core.v1.Pod'));
  assert.equal(answer('core/v1', '/api/v1/namespaces/{namespace}/configmaps/{name}'), reference(`${META}.Status`));
});

test('every kind has descriptions of its version and its kind', () => {
  const undescribed = [...documents.values()].flatMap(({ components }) =>
    Object.entries(components.schemas).flatMap(([name, { properties = {}, 'x-kubernetes-group-version-kind': kinds }]) =>
      kinds === undefined || name === `${META}.WatchEvent` || (properties.apiVersion?.description && properties.kind?.description)
        ? []
        : [name],
    ),
  );
  assert.equal(undescribed, []);
});

for (const [folder, document] of documents) {
  test(`${folder}: every reference leads to a schema, and every operation has an identifier of its own`, () => {
    const text = JSON.stringify(document);
    for (const [, definition = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      assert.ok(definition in document.components.schemas, definition);
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    assert.is(new Set(ids).size, ids.length);
  });
  test(`${folder}: the text says what the document says`, () =>
    assert.equal(JSON.parse(documentText(document)), JSON.parse(JSON.stringify(document))));
}

test('the document of the machinery has the paths outside group versions', () => {
  const { paths, components } = documentOf('meta/v1');
  const ids = Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, item.get?.operationId]));
  assert.is(ids['/api/'], 'getCoreAPIVersions');
  assert.is(ids['/apis/'], 'getAPIVersions');
  assert.is(ids['/apis/apps/'], 'getAppsAPIGroup');
  assert.is(ids['/apis/rbac.authorization.${groupDomain}/'], 'getRbacAuthorizationAPIGroup');
  assert.is(ids['/version/'], 'getCodeVersion');
  for (const kind of ['APIVersions', 'APIGroupList', 'APIGroup']) assert.ok(`${META}.${kind}` in components.schemas, kind);
});

test.run();
