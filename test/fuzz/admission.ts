/**
 * What random requests are held against: webhooks, policies and quotas, which are other ones in each generation, and what the webhooks answer. Most of
 * it lets most requests through, so that they come far.
 */
import type { JsonObject } from '../../runtime/schema/json/member.ts';
import { type Reply, send } from '../custom-resources/conversion/webhook.ts';
import type { Hook } from './custom-resources.ts';
import { Random } from './random.ts';
import { anyValue, spoiled, TEXTS } from './values.ts';

const GROUP = 'admissionregistration.k8s.io';
const PLACE = `/apis/${GROUP}`;
/** In the path of a webhook that may change objects. */
const MUTATES = '/mutate';
const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'];
const RESOURCES = [
  '*',
  '*/*',
  'pods',
  'pods/*',
  '*/status',
  '*/scale',
  'configmaps',
  'deployments',
  'things0',
  'things1',
  'things1/status',
];
const EXPRESSIONS = [
  'true',
  'false',
  "request.operation == 'CREATE'",
  "object == null || object.metadata.name != 'b'",
  'oldObject == null || object == null || object.metadata.name == oldObject.metadata.name',
  'has(object.metadata.labels) && object.metadata.labels.size() < 3',
  'object.metadata.annotations.all(key, key.size() < 50)',
  'object.spec.replicas <= 5',
  'object.spec.template.spec.containers.exists(c, c.image.contains(":"))',
  "!has(namespaceObject.metadata) || namespaceObject.metadata.name.startsWith('f')",
  "authorizer.group('').resource('pods').check('get').allowed()",
  "authorizer.requestResource.check('delete').allowed()",
  "request.userInfo.groups.exists(group, group.endsWith('masters'))",
  'request.dryRun || request.name.size() < 100',
  '[1, 2, 3, 4, 5, 6, 7, 8, 9].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9].all(b, [1, 2, 3, 4, 5, 6, 7, 8, 9].all(c, a * b * c > 0)))',
  'string(object).size() > 0',
  'dyn(object).x.y.z == 1',
  'object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
];
const MUTATIONS: readonly (readonly [type: 'ApplyConfiguration' | 'JSONPatch', expression: string])[] = [
  ['ApplyConfiguration', 'Object{metadata: Object.metadata{labels: {"fuzz": "yes"}}}'],
  ['ApplyConfiguration', 'Object{metadata: Object.metadata{annotations: {"operation": request.operation}}}'],
  ['ApplyConfiguration', 'Object{spec: Object.spec{replicas: 1}}'],
  ['ApplyConfiguration', 'Object{}'],
  ['JSONPatch', '[JSONPatch{op: "add", path: "/metadata/labels", value: {"fuzz": "no"}}]'],
  ['JSONPatch', '[JSONPatch{op: "remove", path: "/metadata/annotations"}]'],
  ['JSONPatch', 'has(object.spec) ? [JSONPatch{op: "add", path: "/spec/x", value: object.spec}] : []'],
];

interface Defined {
  readonly path: string;
  readonly object: JsonObject;
}

/** The same for the same generation. @param hook leads to webhooks that answer as `admissionReply` does */
export function admissionObjects(generation: number, hook: Hook): Defined[] {
  const random = new Random(generation ^ 0xad317);
  return [
    webhooks(random, 'Mutating', { ...hook, url: `${hook.url}${MUTATES}` }),
    webhooks(random, 'Validating', hook),
    ...policy(random, 'v1', 'Validating', {
      validations: some(random, 3, () => ({
        expression: expression(random),
        ...(random.chance(0.5) && { reason: random.oneOf(['Invalid', 'Forbidden', 'RequestEntityTooLarge']) }),
        ...(random.chance(0.3) && { messageExpression: random.oneOf(["'no ' + request.name", 'string(object.spec.x)', "''"]) }),
      })),
      ...(random.chance(0.5) && {
        auditAnnotations: [{ key: 'name', valueExpression: "object == null ? 'none' : string(object.metadata.name)" }],
      }),
    }),
    ...policy(random, 'v1alpha1', 'Mutating', {
      reinvocationPolicy: random.oneOf(['Never', 'IfNeeded']),
      mutations: some(random, 2, () => mutation(random)),
    }),
    ...['default', 'fuzz'].map((namespace) => quota(random, namespace)),
  ];
}

const some = <T>(random: Random, most: number, make: () => T): T[] => [make(), ...random.list(most - 1, make)];

/** One that does not compile is refused, which is something as well. */
const expression = (random: Random): string => (random.chance(0.02) ? random.oneOf(TEXTS) : random.oneOf(EXPRESSIONS));

function rule(random: Random): JsonObject {
  return {
    apiGroups: [random.chance(0.7) ? '*' : random.oneOf(['', 'apps', 'fuzz.example'])],
    apiVersions: [random.chance(0.8) ? '*' : random.oneOf(['v1', 'v1beta1', 'v2'])],
    operations: random.chance(0.3) ? ['*'] : some(random, 2, () => random.oneOf(OPERATIONS.slice(0, 4))).filter(isFirst),
    resources: [random.oneOf(RESOURCES)],
    ...(random.chance(0.2) && { scope: random.oneOf(['*', 'Cluster', 'Namespaced']) }),
  };
}

const isFirst = <T>(value: T, index: number, all: readonly T[]): boolean => all.indexOf(value) === index;

const selector = (random: Random): JsonObject =>
  random.oneOf<JsonObject>([
    { matchLabels: { a: 'b' } },
    { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['c'] }] },
    { matchExpressions: [{ key: 'fuzz', operator: 'DoesNotExist' }] },
    {},
  ]);

const conditions = (random: Random) => ({
  ...(random.chance(0.4) && { matchConditions: [{ name: 'condition', expression: expression(random) }] }),
});

const selectors = (random: Random): JsonObject => ({
  ...(random.chance(0.2) && { objectSelector: selector(random) }),
  ...(random.chance(0.2) && { namespaceSelector: selector(random) }),
  ...(random.chance(0.3) && { matchPolicy: random.oneOf(['Exact', 'Equivalent']) }),
});

function webhooks(random: Random, kind: string, hook: Hook): Defined {
  const made = some(random, 3, () => rule(random)).map((each, index) => ({
    name: `fuzz-${index}.example.com`,
    clientConfig: { ...hook },
    rules: [each],
    admissionReviewVersions: random.oneOf([['v1'], ['v1beta1'], ['v2', 'v1beta1', 'v1']]),
    sideEffects: random.oneOf(['None', 'NoneOnDryRun']),
    failurePolicy: random.oneOf(['Ignore', 'Fail']),
    timeoutSeconds: 1,
    ...(kind === 'Mutating' && { reinvocationPolicy: random.oneOf(['Never', 'IfNeeded']) }),
    ...conditions(random),
    ...selectors(random),
  }));
  const name = `fuzz-${kind.toLowerCase()}`;
  return {
    path: `${PLACE}/v1/${kind.toLowerCase()}webhookconfigurations/${name}`,
    object: { apiVersion: `${GROUP}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks: made },
  };
}

function policy(random: Random, version: string, kind: string, spec: JsonObject): Defined[] {
  const name = `fuzz-${kind.toLowerCase()}`;
  const place = `${PLACE}/${version}/${kind.toLowerCase()}admissionpolic`;
  const of = { apiVersion: `${GROUP}/${version}`, metadata: { name } };
  const withParams = random.chance(0.3);
  return [
    {
      path: `${place}ies/${name}`,
      object: {
        ...of,
        kind: `${kind}AdmissionPolicy`,
        spec: {
          matchConstraints: { resourceRules: some(random, 2, () => rule(random)), ...selectors(random) },
          failurePolicy: random.oneOf(['Ignore', 'Fail']),
          variables: [{ name: 'x', expression: random.oneOf(EXPRESSIONS) }],
          ...(withParams && { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
          ...conditions(random),
          ...spec,
        },
      },
    },
    {
      path: `${place}ybindings/${name}`,
      object: {
        ...of,
        kind: `${kind}AdmissionPolicyBinding`,
        spec: {
          policyName: name,
          ...(kind === 'Validating' && { validationActions: random.oneOf([['Deny'], ['Warn', 'Audit'], ['Deny', 'Audit']]) }),
          ...(withParams && { paramRef: { name: 'a', parameterNotFoundAction: random.oneOf(['Allow', 'Deny']) } }),
          ...(random.chance(0.3) && { matchResources: selectors(random) }),
        },
      },
    },
  ];
}

function mutation(random: Random): JsonObject {
  const [patchType, expression] = random.oneOf(MUTATIONS);
  return { patchType, [patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration']: { expression } };
}

function quota(random: Random, namespace: string): Defined {
  const hard = Object.fromEntries(
    some(random, 4, () => [
      random.oneOf([
        'pods',
        'configmaps',
        'count/secrets',
        'services',
        'requests.cpu',
        'limits.memory',
        'count/things0.fuzz.example',
        'requests.storage',
      ]),
      random.oneOf(['0', '3', '1Gi', '1000000']),
    ]),
  );
  return {
    path: `/api/v1/namespaces/${namespace}/resourcequotas/fuzz-quota`,
    object: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'fuzz-quota', namespace },
      spec: { hard, ...(random.chance(0.3) && { scopes: [random.oneOf(['BestEffort', 'NotTerminating', 'PriorityClass'])] }) },
    },
  };
}

/** What webhooks answer, rightly as a rule. */
export function admissionReply(random: Random): Reply {
  return (review, response, request) => {
    const { apiVersion, kind, request: asked } = review;
    const changes = request.url?.includes(MUTATES) === true && asked.object !== null && random.chance(0.3);
    const answer = {
      apiVersion,
      kind,
      response: {
        uid: asked.uid,
        allowed: random.chance(0.93),
        ...(changes && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations(random))).toString('base64') }),
        ...(random.chance(0.1) && { warnings: [random.oneOf(TEXTS)] }),
        ...(random.chance(0.1) && { auditAnnotations: { [random.oneOf(TEXTS)]: random.oneOf(TEXTS) } }),
        ...(random.chance(0.3) && { status: { message: random.oneOf(TEXTS), code: random.oneOf([0, 200, 403, 429, 599, 1_000]) } }),
      },
    };
    const how = random.fraction();
    if (how < 0.01) return response.destroy();
    if (how < 0.02) return void response.writeHead(random.oneOf([204, 301, 401, 500])).end();
    if (how < 0.03) return void response.end(random.bytes(100));
    send(response, how < 0.1 ? spoiled(random, answer) : answer);
  };
}

function operations(random: Random): unknown {
  if (random.chance(0.05)) return anyValue(random);
  return some(random, 3, () => {
    const operation = random.oneOf<JsonObject>([
      { op: 'add', path: '/metadata/labels', value: { fuzz: 'yes' } },
      { op: 'add', path: '/metadata/annotations', value: { fuzz: random.oneOf(TEXTS) } },
      { op: 'replace', path: '/metadata/name', value: random.oneOf(['a', 'b', '']) },
      { op: 'remove', path: '/metadata/managedFields' },
      { op: 'add', path: '/metadata/managedFields', value: random.chance(0.5) ? [] : [anyValue(random)] },
      { op: 'add', path: '/spec', value: anyValue(random) },
      { op: 'copy', from: '/metadata', path: '/data' },
      { op: 'remove', path: random.oneOf(['', '/kind', '/metadata', '/spec', '/status']) },
      { op: 'add', path: '/metadata/finalizers', value: ['fuzz.example/held'] },
    ]);
    return random.chance(0.1) ? spoiled(random, operation) : operation;
  });
}
