/** What validating policies tell besides refusing: annotations for audit and warnings; and how they wait for an authorizer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import type { PluginParts } from '../../../runtime/admission/plugin-interface/plugin.ts';
import { validatingPolicies } from '../../../runtime/admission/plugins/validating-policies.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { AccessAttributes } from '../../../runtime/authorization/authorizer.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { attributesOf, partsOf } from '../asking.ts';

const test = suite('what validating policies tell');

const RULES = { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }] };
const policy = (name: string, spec: object) => ({
  metadata: { name, uid: name, generation: 1 },
  spec: { matchConstraints: RULES, ...spec },
});
const binding = (name: string, policyName: string, validationActions: readonly string[], others: object = {}) => ({
  metadata: { name },
  spec: { policyName, validationActions, ...others },
});

interface Told {
  readonly annotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly refused: string | undefined;
}

async function told(
  policies: readonly object[],
  bindings: readonly object[],
  parts: Partial<PluginParts> = {},
  about: object = {},
): Promise<Told> {
  const stored = {
    validatingadmissionpolicies: policies,
    validatingadmissionpolicybindings: bindings,
    namespaces: [{ metadata: { name: 'a' } }],
  };
  const plugin = validatingPolicies(partsOf({ featureEnabled: () => true, ...parts }, stored));
  const annotations: Record<string, string> = {};
  const warnings: string[] = [];
  const asked = attributesOf({ object: { data: { k: 'v' } }, ...about });
  const kind = { group: '', version: 'v1', kind: 'Pod' } as Record<string, unknown>;
  kind.hub = kind;
  const resource = { ...asked.resource, apiVersion: 'v1', versions: { served: [], kinds: {} } };
  const request = {
    ...OWN_WORK,
    verb: 'create',
    warn: (text: string) => void warnings.push(text),
    annotate(key: string, value: string) {
      annotations[key] ??= value;
    },
  };
  try {
    await plugin.validate?.({ ...asked, kind, resource, request } as unknown as AdmissionAttributes);
    return { annotations, warnings, refused: undefined };
  } catch (error) {
    if (error instanceof StatusError) return { annotations, warnings, refused: error.message };
    throw error;
  }
}

const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';

test('failures are recorded with their place, their policy and their binding; the first one stays', async () => {
  const validations = [{ expression: 'true' }, { expression: 'false', message: 'two' }, { expression: 'false', message: 'three' }];
  const { annotations, warnings, refused } = await told([policy('p', { validations })], [binding('b', 'p', ['Audit', 'Warn'])]);
  assert.is(refused, undefined);
  assert.is(
    annotations[FAILURE],
    '[{"message":"two","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit","Warn"]}]',
  );
  assert.equal(
    warnings,
    ['two', 'three'].map((text) => `Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': ${text}`),
  );
});

test('failures are recorded as Go writes JSON', async () => {
  const { annotations } = await told(
    [policy('p', { validations: [{ expression: 'false', message: 'say\u2028"é" <&>' }] })],
    [binding('b', 'p', ['Audit'])],
  );
  assert.is(
    annotations[FAILURE],
    '[{"message":"say\\u2028\\"é\\" \\u003c\\u0026\\u003e","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Audit"]}]',
  );
});

test('annotations of a policy stand under its name, each value once, those of several bindings together', async () => {
  const auditAnnotations = [
    { key: 'same', valueExpression: "'at ' + object.metadata.name" },
    { key: 'param', valueExpression: "'  ' + params.metadata.name + ' '" },
    { key: 'blank', valueExpression: "' '" },
    { key: 'long', valueExpression: 'string(object.data.long)' },
  ];
  const long = 'é'.repeat(6_000);
  const objectsOfKind: PluginParts['objectsOfKind'] = () => ({
    namespaced: true,
    get: (_namespace, name) => ({ kind: 'A', apiVersion: 'v1', metadata: { name } }),
    selected: () => [],
  });
  const ref = (name: string) => ({ paramRef: { name, parameterNotFoundAction: 'Deny' } });
  const paramKind = { apiVersion: 'v1', kind: 'A' };
  const { annotations, refused } = await told(
    [policy('p', { paramKind, auditAnnotations })],
    [binding('b', 'p', ['Deny'], ref('x')), binding('c', 'p', ['Deny'], ref('y'))],
    { objectsOfKind },
    { object: { data: { long } } },
  );
  assert.is(refused, undefined);
  assert.equal(Object.keys(annotations).sort(), ['p/long', 'p/param', 'p/same']);
  assert.is(annotations['p/same'], 'at x');
  assert.is(annotations['p/param'], 'x, y');
  assert.is(Buffer.byteLength(annotations['p/long'] ?? ''), 10 * 1024);
});

test('what is refused is told as well, of all policies', async () => {
  const auditAnnotations = [{ key: 'k', valueExpression: "'seen'" }];
  const { annotations, warnings, refused } = await told(
    [policy('p', { validations: [{ expression: 'false' }] }), policy('q', { validations: [{ expression: 'false' }], auditAnnotations })],
    [binding('b', 'p', ['Deny']), binding('c', 'q', ['Warn'])],
  );
  assert.match(refused ?? '', "ValidatingAdmissionPolicy 'p' with binding 'b' denied request");
  assert.equal(annotations, { 'q/k': 'seen' });
  assert.is(warnings.length, 1);
});

test('an authorizer that answers later is waited for, and asked each question once', async () => {
  const asked: string[] = [];
  const authorizer: PluginParts['authorizer'] = {
    async authorize({ verb, resource, name }: AccessAttributes) {
      asked.push(`${verb} ${resource} ${name}`);
      return { decision: verb === 'get' ? 'allow' : 'deny', reason: '' };
    },
    rules: () => Promise.reject(new Error('nobody asks')),
  };
  const may = (verb: string) => `authorizer.group('').resource('secrets').check('${verb}').allowed()`;
  const spec = { validations: [{ expression: `${may('get')} && !${may('delete')}` }, { expression: may('get') }] };
  const policies = [
    policy('p', spec),
    policy('q', { ...spec, matchConditions: [{ name: 'c', expression: "authorizer.requestResource.check('get').allowed()" }] }),
  ];
  const { refused } = await told(policies, [binding('b', 'p', ['Deny']), binding('c', 'q', ['Deny'])], { authorizer });
  assert.is(refused, undefined);
  assert.equal(asked, ['get secrets ', 'delete secrets ', 'get pods x']);
});

test('an authorizer that fails is told of by the expression that asks', async () => {
  const authorizer: PluginParts['authorizer'] = {
    authorize: () => ({ decision: 'noOpinion', reason: '', error: 'no answer' }),
    rules: () => Promise.reject(new Error('nobody asks')),
  };
  const expression = "authorizer.path('/').check('get').errored()";
  const validations = [{ expression: `!${expression}`, messageExpression: "'it failed'" }];
  assert.match((await told([policy('p', { validations })], [binding('b', 'p', ['Deny'])], { authorizer })).refused ?? '', 'it failed');
});

test('what is not met is counted, by what was wrong and what came of it', async () => {
  const metrics = new Metrics(metricsData);
  const validations = [{ expression: 'false' }, { expression: 'object.none == 1' }, { expression: 'true' }];
  const of = (names: readonly string[], failurePolicy: string) => names.map((name) => policy(name, { validations, failurePolicy }));
  await told([...of(['p'], 'Fail'), ...of(['q'], 'Ignore')], [binding('b', 'p', ['Audit', 'Warn']), binding('c', 'q', ['Deny'])], {
    metrics,
  });
  const counted = (await metrics.text()).body
    .split('\n')
    .filter((line) => line.startsWith('apiserver_validating_admission_policy_check_total{'));
  const line = (name: string, boundBy: string, enforcement: string, count: number): string =>
    `apiserver_validating_admission_policy_check_total{enforcement_action="${enforcement}",error_type="invalid_error",policy="${name}",policy_binding="${boundBy}"} ${count}`;
  assert.equal(
    new Set(counted),
    new Set([line('p', 'b', 'audit', 2), line('p', 'b', 'warn', 2), line('q', 'c', 'deny', 1), line('q', 'c', 'allow', 1)]),
  );
});

test.run();
