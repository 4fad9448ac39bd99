/** A server that asks webhooks of admission, for the tests of one file. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { ConversionWebhook, type Reply, type Review, send } from '../custom-resources/conversion/webhook.ts';
import { jsonRequest } from './json-request.ts';

export const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Answer = any;

let server: EmbeddedServer;
/** The webhook that all configurations lead to. */
export let webhook: ConversionWebhook;

/** Starts both before the first test; each test begins with a webhook that allows all, and leaves neither configurations nor config maps. */
export function askingWebhooks(test: Test): void {
  test.before(async () => {
    server = await startServer({ dialect: 'kubernetes', flags: { controllers: ['-*'] } });
    webhook = await new ConversionWebhook().start();
  });
  test.before.each(() => {
    webhook.reply = answering({});
    webhook.asked.length = 0;
    webhook.requests.length = 0;
  });
  test.after.each(async () => {
    for (const kind of ['validating', 'mutating']) await request('DELETE', `${GROUP}/${kind}webhookconfigurations`);
    await request('DELETE', CONFIG_MAPS);
  });
  test.after(async () => {
    await server.stop();
    await webhook.stop();
  });
}

export const request = (method: string, path: string, body?: object, type?: string) =>
  jsonRequest<Answer>(server, method, path, body, type);

/** Creates a config map for a client that goes when the signal is aborted. */
export async function leave(body: object, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const asking = server.client.fetch(CONFIG_MAPS, { method: 'POST', headers, body: JSON.stringify(body), signal });
  assert.is(await asking.catch((error) => error), signal.reason);
}

/** What the server shows at /metrics. */
export const metricsText = async (): Promise<string> => (await server.client.fetch('/metrics', { method: 'GET' })).text();

export const answering =
  (response: object): Reply =>
  (review, answer) =>
    send(answer, answerTo(review, response));

export const answerTo = ({ apiVersion, kind, request: { uid } }: Review, response: object) => ({
  apiVersion,
  kind,
  response: { uid, allowed: true, ...response },
});

export const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

export const hook = (others: object = {}) => hookTo(webhook, others);

export const hookTo = ({ url, caBundle }: Pick<ConversionWebhook, 'url' | 'caBundle'>, others: object = {}) => ({
  name: 'a.example.com',
  clientConfig: { url, caBundle },
  rules: [RULE],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...others,
});

export async function configure(kind: 'Validating' | 'Mutating', ...hooks: object[]): Promise<void> {
  const metadata = { generateName: 'hooks-' };
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration`, metadata, webhooks: hooks };
  const answer = await request('POST', `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, body);
  assert.is(answer.status, 201, JSON.stringify(answer.body));
  assert.is(answer.warnings, null);
}

export const configMap = (name: string, others: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...others });
export const create = (name: string, others: object = {}) => request('POST', CONFIG_MAPS, configMap(name, others));
export const patchOf = (operations: unknown) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
export const asked = () => webhook.asked.map((review) => review.request);
