/** Status of validating policies, through a whole server: what does not fit the kinds that they are about. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../../runtime/embedded/start-server.ts';
import { eventually } from '../../harness/eventually.ts';

const test = suite('the status of policies');
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

let server: EmbeddedServer;
const logged: string[] = [];
test.before(async () => {
  const flags = { controllers: ['validatingadmissionpolicy-status-controller'] };
  server = await startServer({ dialect: 'kubernetes', flags, log: { write: (line) => void logged.push(line) } });
});
test.after(() => server.stop());

async function request(method: string, path: string, body?: object, type = 'application/json') {
  const headers = body && { 'content-type': type };
  const answer = await server.client.fetch(path, { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) });
  assert.ok(answer.ok, await answer.clone().text());
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
  return (await answer.json()) as any;
}

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  apiGroups,
  apiVersions,
  resources,
  operations: ['*'],
});
const define = (name: string, resourceRules: object[], spec: object) =>
  request('POST', POLICIES, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });

/** The policy, once the controller has seen its generation. */
async function checked(name: string, generation: number) {
  let policy = await request('GET', `${POLICIES}/${name}`);
  await eventually(`generation ${generation} of ${name} is seen`, async () => {
    policy = await request('GET', `${POLICIES}/${name}`);
    return (policy.status.observedGeneration ?? 0) >= generation;
  });
  return policy;
}

test('says that nothing is wrong, and who has said it', async () => {
  await define('fine', [rule(['apps'], ['v1'], ['deployments'])], { validations: [{ expression: 'object.spec.replicas < 10' }] });
  const { status, metadata } = await checked('fine', 1);
  assert.equal(status, { observedGeneration: 1, typeChecking: {} });
  const entry = metadata.managedFields.find(
    ({ manager }: { manager: string }) => manager === 'validatingadmissionpolicy-status-controller',
  );
  assert.is(entry.operation, 'Apply');
  assert.is(entry.subresource, 'status');
});

test('says what does not fit, for each kind, and what is mended', async () => {
  const rules = [rule(['apps'], ['v1'], ['deployments', 'replicasets']), rule([''], ['v1'], ['pods'])];
  await define('wrong', rules, {
    validations: [{ expression: 'object.spec.replicas < 10' }, { expression: 'true', messageExpression: 'string(object.spec.paused)' }],
  });
  const { status } = await checked('wrong', 1);
  assert.equal(status.typeChecking.expressionWarnings, [
    {
      fieldRef: 'spec.validations[0].expression',
      warning: "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'replicas'\n | object.spec.replicas < 10\n | ...........^\n",
    },
    {
      fieldRef: 'spec.validations[1].messageExpression',
      warning:
        "/v1, Kind=Pod: ERROR: <input>:1:19: undefined field 'paused'\n | string(object.spec.paused)\n | ..................^\n" +
        "\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:19: undefined field 'paused'\n | string(object.spec.paused)\n | ..................^\n",
    },
  ]);
  await request('PATCH', `${POLICIES}/wrong`, { spec: { validations: [{ expression: 'true' }] } }, 'application/merge-patch+json');
  assert.equal((await checked('wrong', 2)).status.typeChecking ?? {}, {});
});

test('knows custom kinds, of objects and of parameters', async () => {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { colour: { type: 'string' }, at: { type: 'string', format: 'date-time' } } } },
  };
  await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'lamps', kind: 'Lamp' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  await eventually('lamps are served', async () => (await server.client.fetch('/apis/example.com/v1/lamps')).ok);
  await define('lamps', [rule(['example.com'], ['v1'], ['lamps'])], {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Lamp' },
    validations: [
      {
        expression:
          "object.spec.colour == params.spec.colour && 'a' in object.metadata.labels && object.spec.at > timestamp('2024-01-01T00:00:00Z')",
      },
      { expression: 'object.spec.color == 1 || params.spec.at == 1' },
    ],
  });
  const { status } = await checked('lamps', 1);
  assert.is(status.typeChecking.expressionWarnings.length, 1);
  const [{ fieldRef, warning }] = status.typeChecking.expressionWarnings;
  assert.is(fieldRef, 'spec.validations[1].expression');
  assert.match(warning, "example.com/v1, Kind=Lamp: ERROR: <input>:1:12: undefined field 'color'");
  assert.match(warning, "found no matching overload for '_==_' applied to '(timestamp, int)'");
});

test('takes any generation that somebody says was seen', async () => {
  await define('seen', [rule(['apps'], ['v1'], ['deployments'])], { validations: [{ expression: 'true' }] });
  await checked('seen', 1);
  const body = '{"status":{"observedGeneration":9007199254740993}}';
  const headers = { 'content-type': 'application/merge-patch+json' };
  assert.is((await server.client.fetch(`${POLICIES}/seen/status`, { method: 'PATCH', headers, body })).status, 200);
  await define('later', [rule(['apps'], ['v1'], ['deployments'])], { validations: [{ expression: 'true' }] });
  await checked('later', 1);
  assert.equal(
    logged.filter((line) => line.includes('could not be checked')),
    [],
  );
});

test.run();
