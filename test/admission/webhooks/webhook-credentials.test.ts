/** As whom webhooks are asked, by what --admission-control-config-file says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../../runtime/embedded/start-server.ts';
import { ConversionWebhook, send } from '../../custom-resources/conversion/webhook.ts';

const test = suite('credentials for webhooks');
let folder: string;
test.before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'webhook-credentials-'));
});
test.after(() => rmSync(folder, { recursive: true }));

/** @returns the path of the file */
function written(name: string, value: object): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
  return file;
}

const kubeconfig = (users: Readonly<Record<string, object>>): string =>
  written('kubeconfig', { apiVersion: 'v1', kind: 'Config', users: Object.entries(users).map(([name, user]) => ({ name, user })) });

const admission = (configuration: object): string =>
  written('admission', {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
  });

const V1 = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' };

interface Row {
  readonly name: string;
  /** `HOST` stands for the webhook's host and port */
  readonly users: Readonly<Record<string, object>>;
  readonly sent: string | undefined;
}
const rows: Row[] = [
  { name: 'the user of its host', users: { HOST: { token: 'own' }, '*': { token: 'any' } }, sent: 'Bearer own' },
  { name: 'the user of its domain', users: { '*.0.0.1:PORT': { token: 'near' }, '*': { token: 'any' } }, sent: 'Bearer near' },
  { name: 'the user for all', users: { other: { token: 'own' }, '*': { username: 'a', password: 'b' } }, sent: 'Basic YTpi' },
  { name: 'nobody', users: { 'other.example': { token: 'own' } }, sent: undefined },
];
for (const { name, users, sent } of rows)
  test(`a webhook is asked as ${name}`, async () => {
    const webhook = await new ConversionWebhook().start();
    const named = JSON.parse(JSON.stringify(users).replace('HOST', `127.0.0.1:${webhook.port}`).replace('PORT', String(webhook.port)));
    const file = admission({ ...V1, kubeConfigFile: kubeconfig(named) });
    let server: EmbeddedServer | undefined;
    try {
      server = await startServer({ dialect: 'kubernetes', flags: { controllers: ['-*'], 'admission-control-config-file': file } });
      const { client } = server;
      let authorization: string | undefined;
      webhook.reply = ({ apiVersion, kind, request: { uid } }, response, { headers }) => {
        authorization = headers.authorization;
        send(response, { apiVersion, kind, response: { uid, allowed: true } });
      };
      const hook = {
        name: 'a.example.com',
        clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      };
      const post = async (target: string, body: object): Promise<number> =>
        (await client.fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }))
          .status;
      const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      assert.is(await post(configurations, { metadata: { name: 'a' }, webhooks: [hook] }), 201);
      assert.is(await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }), 201);
      assert.is(webhook.asked.length, 1);
      assert.is(authorization, sent);
    } finally {
      await server?.stop();
      await webhook.stop();
    }
  });

const refusals = [
  {
    name: 'another kind',
    configuration: { ...V1, kind: 'Other' },
    message: /Other of apiserver\.config\.k8s\.io\/v1 is no WebhookAdmissionConfiguration/,
  },
  {
    name: 'a path that is not absolute',
    configuration: { ...V1, kubeConfigFile: 'x' },
    message: /kubeConfigFile: Invalid value: "x": must be an absolute file path/,
  },
  { name: 'a field that nobody knows', configuration: { ...V1, kubeConfig: '' }, message: /unknown field "kubeConfig"/ },
  { name: 'a file that is not there', configuration: { ...V1, kubeConfigFile: '/nowhere/at/all' }, message: /\/nowhere\/at\/all/ },
];
for (const { name, configuration, message } of refusals)
  test(`${name} is refused at the start`, async () => {
    const flags = { 'admission-control-config-file': admission(configuration) };
    try {
      await (await startServer({ dialect: 'kubernetes', flags })).stop();
    } catch (error) {
      return assert.match((error as Error).message, message);
    }
    assert.unreachable('it has started');
  });

test.run();
