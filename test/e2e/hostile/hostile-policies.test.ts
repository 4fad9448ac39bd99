/** Policies whose expressions are much work, and writers that meet policies that come and go: nothing waits for them, and no write slips through. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { attacksOn } from '../../harness/hostile.ts';
import { startServer } from '../../harness/server.ts';
import { assertShortTurns, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
const FLAGS = ['--controllers=-*', '--disable-admission-plugins=ServiceAccount'];

async function define(client: Client, name: string, spec: object): Promise<void> {
  const matchConstraints = { resourceRules: [RULE] };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec: { matchConstraints, ...spec } };
  const made = await client.post(`${GROUP}/validatingadmissionpolicies`, policy);
  assert.is(made.status, 201, made.text);
}
async function bind(client: Client, name: string, spec: object = {}): Promise<void> {
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  };
  const made = await client.post(`${GROUP}/validatingadmissionpolicybindings`, binding);
  assert.is(made.status, 201, made.text);
}
async function clear(client: Client): Promise<void> {
  for (const resource of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
    assert.is((await client.request('DELETE', `${GROUP}/${resource}`)).status, 200);
}
const configMap = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));
const CUBE = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "")))';

const test = suite('hostile policies');
const server = await startServer({ dialect: 'kubernetes', flags: FLAGS, preload: TURN_MONITOR });
const client = new Client(server);
test.after(async () => {
  client.close();
  await server.stop();
});
test.before(async () => {
  // all that policies of every form need is loaded and has run, here and on the other thread
  const expression = 'object.data.all(a, object.data.exists(b, a + b != ""))';
  await define(client, 'first', {
    validations: [{ expression }, { expression: 'false', messageExpression: `${expression} ? 'a' : 'b'` }],
    variables: [{ name: 'v', expression: '1' }],
    matchConditions: [{ name: 'c', expression }],
    auditAnnotations: [{ key: 'k', valueExpression: `${expression} ? 'a' : 'b'` }],
  });
  await bind(client, 'first');
  for (let round = 0; round < 20; round++) await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('warm', keys(100)));
  await clear(client);
  await untilQuiet(server);
});
test.after.each(() => clear(client));
const attack = attacksOn(server, test);

const OUT = 'validation failed due to running out of cost budget, no further validation rules will be run';
const expensive: readonly [name: string, spec: object, message: string][] = [
  [
    'one that costs too much',
    { validations: [{ expression: CUBE }] },
    `expression '${CUBE}' resulted in error: operation cancelled: actual cost limit exceeded`,
  ],
  ['many that cost too much together', { validations: Array.from({ length: 30 }, () => ({ expression: CUBE })) }, OUT],
  [
    'a variable that costs too much',
    { validations: [{ expression: 'variables.v' }], variables: [{ name: 'v', expression: CUBE }] },
    'composited variable "v" fails to evaluate: operation cancelled: actual cost limit exceeded',
  ],
  [
    'variables that double',
    {
      validations: [{ expression: 'variables.v29.size() < 1' }],
      variables: Array.from({ length: 30 }, (_, index) => ({
        name: `v${index}`,
        expression: index === 0 ? "'xxxxxxxxxx'" : `variables.v${index - 1} + variables.v${index - 1}`,
      })),
    },
    'denied request: ',
  ],
  [
    'conditions that cost too much',
    { validations: [{ expression: 'true' }], matchConditions: [1, 2, 3].map((at) => ({ name: `c${at}`, expression: CUBE })) },
    OUT,
  ],
  [
    'messages that cost too much',
    { validations: Array.from({ length: 30 }, () => ({ expression: 'true', messageExpression: `${CUBE} ? 'a' : 'b'` })) },
    `failed messageExpression: ${OUT}`,
  ],
  [
    'annotations that cost too much',
    { auditAnnotations: Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, valueExpression: `${CUBE} ? 'a' : 'b'` })) },
    OUT,
  ],
];
for (const [name, spec, message] of expensive)
  attack(`${name}: others wait for nothing`, async () => {
    await define(client, 'p', spec);
    await bind(client, 'p');
    await assertShortTurns(server, async () => {
      const answer = await client.request('POST', CONFIG_MAPS, { body: JSON.stringify(configMap('a', keys(120))), timeout: 60_000 });
      assert.is(answer.status, 422, answer.text);
      assert.ok(answer.body.message.includes(message), answer.body.message);
    });
  });

attack('hundreds of policies that are for others, and a hundred that are for all', async () => {
  for (let index = 0; index < 300; index++) {
    const resourceRules = [{ ...RULE, resources: ['secrets'] }];
    await define(client, `other-${index}`, { matchConstraints: { resourceRules }, validations: [{ expression: 'false' }] });
    await bind(client, `other-${index}`);
  }
  for (let index = 0; index < 100; index++) {
    await define(client, `all-${index}`, { validations: [{ expression: `object.metadata.name != 'x${index}'` }] });
    await bind(client, `all-${index}`);
  }
  assert.is((await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('a'))).status, 201);
  assert.match((await client.post(CONFIG_MAPS, configMap('x77'))).body.message, "ValidatingAdmissionPolicy 'all-77'");
});

const CONNECT = { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['services/proxy'] };
const MANY_NAMES = ['nobody', ...Array.from({ length: 6_000 }, (_, index) => `name-${index}`)];
const longForConnections: readonly [name: string, make: () => Promise<void>][] = [
  [
    'a policy',
    async () => {
      // whatever is written next would have it read
      await bind(client, 'long');
      const matchConstraints = { resourceRules: [{ ...CONNECT, resourceNames: MANY_NAMES }] };
      await define(client, 'long', { matchConstraints, validations: [{ expression: 'request.operation == "CONNECT"' }] });
    },
  ],
  [
    'a parameter',
    async () => {
      await client.post(CONFIG_MAPS, configMap('long', keys(60_000)));
      await define(client, 'with-long', {
        matchConstraints: { resourceRules: [CONNECT] },
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'params.data.size() == 60000' }],
      });
      await bind(client, 'with-long', { paramRef: { name: 'long', namespace: 'default', parameterNotFoundAction: 'Deny' } });
    },
  ],
];
for (const [name, make] of longForConnections)
  test(`a connection waits for ${name} that takes long to be read`, async () => {
    await make();
    const answer = await client.request('PUT', '/api/v1/namespaces/default/services/nobody/proxy', { body: {} });
    assert.is(answer.status, 404, answer.text);
    assert.is(answer.body.message, 'services "nobody" not found');
  });

test.run();

for (const flags of [[], ['--workers=2']]) {
  const together = suite(`policies that come and go under writers${flags.map((flag) => `, ${flag}`)}`);
  together('refuse each write that begins when they are there, and none when they are gone', async () => {
    const served = await startServer({ dialect: 'kubernetes', flags: [...FLAGS, ...flags] });
    const admin = new Client(served);
    const writers = Array.from({ length: 8 }, () => new Client(served));
    try {
      await define(admin, 'p', { validations: [{ expression: "object.metadata.name.startsWith('kept')" }] });
      for (let round = 0; round < 6; round++) {
        await bind(admin, 'p');
        const refused = await Promise.all(writers.map((writer, index) => writer.post(CONFIG_MAPS, configMap(`r${round}-${index}`))));
        assert.equal(new Set(refused.map(({ status }) => status)), new Set([422]));
        await admin.request('DELETE', `${GROUP}/validatingadmissionpolicybindings/p`);
        const taken = await Promise.all(writers.map((writer, index) => writer.post(CONFIG_MAPS, configMap(`t${round}-${index}`))));
        assert.equal(new Set(taken.map(({ status }) => status)), new Set([201]));
      }
      const { items } = (await admin.get(CONFIG_MAPS)).body;
      assert.not.ok(items.some(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('r')));
    } finally {
      for (const each of [admin, ...writers]) each.close();
      await served.stop();
    }
  });
  together.run();
}
