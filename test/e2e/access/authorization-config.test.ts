/** Who decides, by flags and by a file: real services on loopback, reloading, and starts that are refused. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DecidingService } from '../../authorization/webhook/service.ts';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { ServerStartError, startServer, type TestServer } from '../../harness/server.ts';

const test = suite('who decides');
let folder: string;
let service: DecidingService;

test.before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-authorization-'));
  service = await new DecidingService().start();
  await writeFile(file('service.conf'), service.kubeconfig);
});
test.after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string): string => path.join(folder, name);

const webhook = (name: string, more: object = {}) => ({
  type: 'Webhook',
  name,
  webhook: {
    authorizedTTL: '1ms',
    unauthorizedTTL: '1ms',
    timeout: '3s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'Deny',
    connectionInfo: { type: 'KubeConfig', kubeConfigFile: file('service.conf') },
    ...more,
  },
});
const ROLES = { type: 'RBAC', name: 'rbac' };
const configuration = (...authorizers: object[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.cluster.io/v1beta1', kind: 'AuthorizationConfiguration', authorizers });

/** As an editor does it: the new file takes the old one's place. */
async function write(name: string, text: string): Promise<string> {
  await writeFile(file(`${name}.new`), text);
  await rename(file(`${name}.new`), file(name));
  return file(name);
}

async function withServer(
  flags: string[],
  use: (server: TestServer, alice: Client, admin: Client) => Promise<void>,
  dialect: 'cluster' | 'kubernetes' = 'cluster',
): Promise<void> {
  const server = await startServer({ dialect, flags });
  const [alice, admin] = [new Client(server, server.tokens.alice), new Client(server)];
  try {
    await use(server, alice, admin);
  } finally {
    for (const client of [alice, admin]) client.close();
    await server.stop();
  }
}

const becomes = (ask: () => Promise<number>, status: number): Promise<void> =>
  eventually(`it is ${status}`, async () => (await ask()) === status);

const PODS = '/api/v1/namespaces/default/pods';

test('AlwaysAllow allows everybody, AlwaysDeny the administrator alone', async () => {
  await withServer(['--authorization-mode=AlwaysAllow'], async (_server, alice) => assert.is((await alice.get(PODS)).status, 200));
  await withServer(['--authorization-mode=AlwaysDeny'], async (_server, alice, admin) => {
    const { status, body } = await alice.get(PODS);
    assert.is(status, 403);
    assert.match(body.message, /Everything is forbidden\.$/);
    assert.is((await admin.get(PODS)).status, 200);
  });
});

test('ABAC before roles: the first that allows decides', async () => {
  const policies = await write('policies', '{"user":"alice","resource":"pods","readonly":true}\n');
  await withServer([`--authorization-mode=ABAC,RBAC`, `--authorization-policy-file=${policies}`], async (_server, alice) => {
    assert.is((await alice.get(PODS)).status, 200);
    assert.is((await alice.get('/api/v1/namespaces/default/secrets')).status, 403);
    assert.is((await alice.get('/api')).status, 200, 'by a role');
  });
});

test('a service by flags, without an opinion when it fails', async () => {
  service.reply = ({ spec }) => ({ status: { allowed: spec.resourceAttributes?.resource === 'pods' } });
  const flags = ['--authorization-mode=Webhook,RBAC', `--authorization-webhook-config-file=${file('service.conf')}`];
  await withServer(flags, async (_server, alice) => {
    service.asked.length = 0;
    assert.is((await alice.get(PODS)).status, 200);
    assert.is(service.asked[0].apiVersion, 'authorization.cluster.io/v1beta1');
    assert.equal(service.asked[0].spec.group, ['dev', 'qa', 'system:authenticated']);
    assert.is((await alice.get('/api/v1/nodes')).status, 403);
    assert.is((await alice.get('/api')).status, 200);
    const review = {
      apiVersion: 'authorization.cluster.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    assert.is((await alice.post('/apis/authorization.cluster.io/v1/selfsubjectaccessreviews', review)).body.status.allowed, true);
    const rules = { apiVersion: 'authorization.cluster.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'default' } };
    const { status } = (await alice.post('/apis/authorization.cluster.io/v1/selfsubjectrulesreviews', rules)).body;
    assert.is(status.incomplete, true);
    assert.match(status.evaluationError, /webhook authorizer does not support user rule resolution/);
  });
});

test('a file: services come and go while the server runs, a wrong text changes nothing', async () => {
  service.reply = ({ spec }) => ({ status: { allowed: spec.user === 'alice' } });
  const config = await write('config', configuration(ROLES));
  await withServer([`--authorization-config=${config}`], async (server, alice, admin) => {
    const ask = async (): Promise<number> => (await alice.get(PODS)).status;
    assert.is(await ask(), 403);
    await write('config', configuration(webhook('first', { matchConditions: [{ expression: "request.user == 'alice'" }] }), ROLES));
    await becomes(ask, 200);
    await write('config', configuration(webhook('first', { matchConditions: [{ expression: 'request.user ==' }] }), ROLES));
    await becomes(async () => (server.log().includes('the new text of the file is not used') ? 1 : 0), 1);
    assert.is(await ask(), 200);
    await write('config', configuration(webhook('first')));
    await becomes(async () => (server.log().includes('only authorizers of type Webhook may be added and removed') ? 1 : 0), 1);
    assert.is(await ask(), 200);
    await write('config', configuration(ROLES, webhook('first', { matchConditions: [{ expression: "request.user == 'bob'" }] })));
    await becomes(ask, 403);
    const { text } = await admin.get('/metrics');
    assert.match(
      text,
      /^apiserver_authorization_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:\w+",status="success"\} 2$/m,
    );
    assert.match(
      text,
      /^apiserver_authorization_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:\w+",status="failure"\} 2$/m,
    );
    assert.match(text, /^apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds\{[^}]*status="success"\}/m);
    assert.match(text, /^apiserver_authorization_decisions_total\{decision="allowed",name="first",type="Webhook"\} \d+$/m);
    assert.match(text, /^apiserver_authorization_webhook_evaluations_total\{name="first",result="success"\} \d+$/m);
    assert.match(text, /^apiserver_authorization_webhook_duration_seconds_count\{name="first",result="success"\} \d+$/m);
    assert.match(text, /^apiserver_authorization_match_condition_exclusions_total\{name="first",type="Webhook"\} \d+$/m);
    assert.match(text, /^authorization_attempts_total\{result="allowed"\} \d+$/m);
    assert.match(text, /^authentication_duration_seconds_count\{result="success"\} \d+$/m);
    assert.is((await alice.get('/metrics')).status, 403);
  });
});

test('a service that fails denies where the file says so', async () => {
  service.reply = () => ({ code: 403, text: '' });
  const config = await write('config', configuration(webhook('first'), ROLES));
  await withServer([`--authorization-config=${config}`], async (_server, alice) => {
    assert.is((await alice.get('/api')).status, 403);
    await write('config', configuration(webhook('first', { failurePolicy: 'NoOpinion' }), ROLES));
    await becomes(async () => (await alice.get('/api')).status, 200);
  });
});

test('a service that fails, where nobody else allows: an internal error that names nothing in the other dialect', async () => {
  service.reply = () => ({ code: 403, text: 'of 10.1.2.3' });
  const kubernetes = (text: string): string => text.replaceAll('cluster.io', 'k8s.io');
  const failing = async (failurePolicy: string): Promise<void> => {
    const connectionInfo = { type: 'KubeConfigFile', kubeConfigFile: file('service.conf') };
    const config = await write('config', kubernetes(configuration(webhook('first', { failurePolicy, connectionInfo }), ROLES)));
    const use = async (_server: TestServer, alice: Client): Promise<void> => {
      const { status, body } = await alice.get(PODS);
      assert.equal([status, body.reason], [500, 'InternalError']);
      assert.not.match(body.message, /10\.1\.2\.3|127\.0\.0\.1/);
      assert.is((await alice.get('/api')).status, failurePolicy === 'Deny' ? 500 : 200, 'by a role');
      service.reply = () => ({ status: { allowed: false, reason: 'no' } });
      assert.is((await alice.get('/api/v1/nodes')).status, 403, 'a service that answers');
      service.reply = () => ({ code: 403, text: 'of 10.1.2.3' });
    };
    await withServer([`--authorization-config=${config}`], use, 'kubernetes');
  };
  await failing('Deny');
  await failing('NoOpinion');
});

const refused: [what: string, flags: () => Promise<string[]>, problem: RegExp][] = [
  [
    'a file and modes',
    async () => [`--authorization-config=${await write('config', configuration(ROLES))}`, '--authorization-mode=RBAC'],
    /can not be specified when --authorization-mode/,
  ],
  ['no such file', async () => ['--authorization-config=/nowhere/x'], /\/nowhere\/x/],
  ['another kind', async () => [`--authorization-config=${await write('config', '{"apiVersion":"v1","kind":"Pod"}')}`], /config/],
  [
    'no authorizers',
    async () => [`--authorization-config=${await write('config', configuration())}`],
    /at least one authorization mode must be defined/,
  ],
  [
    'a condition that does not compile',
    async () => [
      `--authorization-config=${await write('config', configuration(webhook('w', { matchConditions: [{ expression: 'request.usr' }] })))}`,
    ],
    /authorizers\[0\]\.webhook\.matchConditions\[0\]\.expression.*undefined field 'usr'/,
  ],
  [
    'a condition that is no condition',
    async () => [
      `--authorization-config=${await write('config', configuration(webhook('w', { matchConditions: [{ expression: 'request.user' }] })))}`,
    ],
    /must evaluate to bool/,
  ],
  [
    'a client configuration that is missing',
    async () => [
      `--authorization-config=${await write('config', configuration(webhook('w', { connectionInfo: { type: 'KubeConfig', kubeConfigFile: '/nowhere/y' } })))}`,
    ],
    /\/nowhere\/y/,
  ],
  ['ABAC without its file', async () => ['--authorization-mode=ABAC'], /authorization policy file not passed/],
  [
    'policies that are no JSON',
    async () => ['--authorization-mode=ABAC', `--authorization-policy-file=${await write('policies', 'x')}`],
    /policies:1/,
  ],
];
for (const [what, flags, problem] of refused)
  test(`a start is refused: ${what}`, async () => {
    const given = await flags();
    const error = await startServer({ dialect: 'cluster', flags: given }).then(
      async (server) => {
        await server.stop();
        return undefined;
      },
      (thrown: unknown) => thrown,
    );
    assert.instance(error, ServerStartError);
    assert.match((error as ServerStartError).output, problem);
  });
test.run();
