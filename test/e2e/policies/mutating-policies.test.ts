/** Mutating policies in whole programs: several processes, and policies that take as long as they may. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { assertShortTurns, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const GROUP = 'admissionregistration.k8s.io/v1alpha1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const FLAGS = ['--feature-gates=MutatingAdmissionPolicy=true', `--runtime-config=${GROUP}=true`];

const configuration = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

async function bind(client: Client, name: string, mutations: readonly object[], spec: object = {}): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const full = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never', mutations, ...spec };
  const of = { apiVersion: GROUP, metadata: { name } };
  const policy = await client.post(`/apis/${GROUP}/mutatingadmissionpolicies`, { ...of, kind: 'MutatingAdmissionPolicy', spec: full });
  assert.is(policy.status, 201, policy.text);
  const kind = 'MutatingAdmissionPolicyBinding';
  const binding = await client.post(`/apis/${GROUP}/mutatingadmissionpolicybindings`, { ...of, kind, spec: { policyName: name } });
  assert.is(binding.status, 201, binding.text);
}

/** Connections of their own go to processes in turn. */
async function withClients(
  server: TestServer,
  count: number,
  use: (clients: readonly [Client, ...Client[]]) => Promise<void>,
): Promise<void> {
  const clients = Array.from({ length: count }, () => new Client(server));
  try {
    await use(clients as [Client, ...Client[]]);
  } finally {
    for (const client of clients) client.close();
    await server.stop();
  }
}

const configMap = (name: string, others: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...others });

const several = suite('mutating policies, two workers');
several('take effect in each process at once, and end at once', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [...FLAGS, '--workers=2', '--controllers=-*'] });
  await withClients(server, 6, async (clients) => {
    const [first] = clients;
    const made = async (name: string) => {
      const answers = await Promise.all(clients.map((client, index) => client.post(CONFIG_MAPS, configMap(`${name}-${index}`))));
      for (const { status, text } of answers) assert.is(status, 201, text);
      return answers.map(({ body }) => body.metadata.labels?.by);
    };
    for (let round = 0; round < 3; round++) {
      await bind(first, 'p', [configuration(`Object{metadata: Object.metadata{labels: {"by": "round-${round}"}}}`)]);
      assert.equal(
        await made(`with-${round}`),
        clients.map(() => `round-${round}`),
      );
      await first.delete(`/apis/${GROUP}/mutatingadmissionpolicybindings/p`);
      assert.equal(
        await made(`without-${round}`),
        clients.map(() => undefined),
      );
      await first.delete(`/apis/${GROUP}/mutatingadmissionpolicies/p`);
    }
  });
});
several.run();

/** An expression that is evaluated for nearly what one may cost. */
const loop = (variables: number): string => {
  const list = '[0,1,2,3,4,5,6,7,8,9]';
  return Array.from({ length: variables }).reduce<string>((source, _, index) => `${list}.all(v${index}, ${source})`, 'true');
};
/** A text that is made twice as long so many times. */
const doubled = (times: number): string =>
  Array.from({ length: times }).reduce<string>(
    (source, _, index) => `[${source}].map(v${index}, v${index} + v${index})[0]`,
    `"${'x'.repeat(99)}"`,
  );
const many = (count: number, operation: string): string => `"${'x'.repeat(count)}".split("").map(i, ${operation})`;

interface Attack {
  readonly name: string;
  readonly mutation: object;
  readonly spec?: object;
  readonly status: number;
}
const attacks: readonly Attack[] = [
  { name: 'that cost as much as they may', mutation: configuration(`Object{data: {"a": ${loop(5)} ? "b" : "c"}}`), status: 201 },
  {
    name: 'that cost much the second time alone',
    mutation: configuration(`Object{data: {"a": "a" in object.data ? (${loop(5)} ? "b" : "c") : "d"}}`),
    spec: { reinvocationPolicy: 'IfNeeded' },
    status: 201,
  },
  { name: 'that cost more', mutation: configuration(`Object{data: {"a": ${loop(7)} ? "b" : "c"}}`), status: 403 },
  { name: 'whose results are long', mutation: configuration(`Object{data: {"a": ${doubled(13)}}}`), status: 201 },
  { name: 'whose results are longer than any request', mutation: configuration(`Object{data: {"a": ${doubled(16)}}}`), status: 403 },
  { name: 'with thousands of operations', mutation: patch(many(9_000, 'JSONPatch{op: "add", path: "/data/a", value: "b"}')), status: 201 },
  {
    name: 'with more operations than a patch may have',
    mutation: patch(many(11_000, 'JSONPatch{op: "test", path: "/data/of", value: "client"}')),
    status: 403,
  },
  {
    name: 'that copy what they have copied',
    mutation: patch(many(60, 'JSONPatch{op: "copy", from: "/data", path: "/data/copied"}')),
    status: 500,
  },
];

const hostile = suite('mutating policies that take long');
hostile('hold nobody up but those whose requests they are for', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [...FLAGS, '--controllers=-*'], preload: TURN_MONITOR });
  await withClients(server, 1, async ([client]) => {
    const create = (name: string) =>
      client.request('POST', CONFIG_MAPS, { body: configMap(name, { data: { of: 'client' } }), timeout: 60_000 });
    // what takes part in it is loaded, the other thread as well
    await bind(client, 'long', [configuration(`Object{data: {"long": ${doubled(10)}}}`)]);
    await bind(client, 'first', [
      configuration('Object{metadata: Object.metadata{labels: {"a": "b"}}}'),
      patch('[JSONPatch{op: "test", path: "/kind", value: "ConfigMap"}]'),
    ]);
    assert.is((await create('first')).status, 201);
    await client.delete(`/apis/${GROUP}/mutatingadmissionpolicybindings/long`);
    await untilQuiet(server);
    for (const [index, { name, mutation, spec, status }] of attacks.entries()) {
      await bind(client, 'p', [mutation], spec);
      await assertShortTurns(server, async () => {
        const answer = await create(`made-${index}`);
        assert.is(answer.status, status, `${name}: ${answer.text.slice(0, 300)}`);
      });
      await client.delete(`/apis/${GROUP}/mutatingadmissionpolicybindings/p`);
      await client.delete(`/apis/${GROUP}/mutatingadmissionpolicies/p`);
    }
  });
});
hostile.run();
