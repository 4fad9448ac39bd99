/** Definitions that are deleted take their objects along, or say what keeps these. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { ConversionWebhook, converting, send, success } from './conversion/webhook.ts';

const test = suite('definitions that are deleted');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const LATCHES = '/apis/shop.example/v1/namespaces/default/latches';

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
});
test.after(() => server.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Json = any;

const read = async (path: string): Promise<Json> => (await server.client.fetch(path)).json();
const conditionOf = ({ status }: Json, type: string): Json => status?.conditions?.find((each: Json) => each.type === type);

async function eventually(test: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 15_000; !(await test()); await sleep(20))
    if (performance.now() > end) assert.unreachable(JSON.stringify(await read(`${DEFINITIONS}/latches.shop.example`)));
}

const isGone = async (): Promise<boolean> => (await read(`${DEFINITIONS}/latches.shop.example`)).code === 404;

async function define(stored: string, conversion?: object): Promise<void> {
  const names = { plural: 'latches', singular: 'latch', kind: 'Latch', listKind: 'LatchList' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema: { openAPIV3Schema } }));
  const spec = { group: 'shop.example', scope: 'Namespaced', names, versions, ...(conversion && { conversion }) };
  await server.client.request('POST', DEFINITIONS, { metadata: { name: 'latches.shop.example' }, spec });
  await eventually(async () => conditionOf(await read(`${DEFINITIONS}/latches.shop.example`), 'Established')?.status === 'True');
}

const latch = (name: string) => ({ apiVersion: 'shop.example/v1', kind: 'Latch', metadata: { name }, spec: { one: 'ab' } });

test('ask no admission whether their objects may go, as in 1.32', async () => {
  const rule = { apiGroups: ['shop.example'], apiVersions: ['*'], operations: ['DELETE'], resources: ['*'] };
  await server.client.request('POST', `${ADMISSION}/validatingadmissionpolicies`, {
    metadata: { name: 'keep' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] },
  });
  await server.client.request('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
    metadata: { name: 'keep' },
    spec: { policyName: 'keep', validationActions: ['Deny'] },
  });
  await define('v1');
  await server.client.request('POST', LATCHES, latch('x'));
  await eventually(async () => (await server.client.fetch(`${LATCHES}/x?dryRun=All`, { method: 'DELETE' })).status === 422);
  await server.client.request('DELETE', `${DEFINITIONS}/latches.shop.example`);
  await eventually(isGone);
  await server.client.request('DELETE', `${ADMISSION}/validatingadmissionpolicybindings/keep`);
});

test('say why their objects cannot be deleted, as long as that is so', async () => {
  const webhook = await new ConversionWebhook().start();
  try {
    const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
    await define('v1', { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } });
    await server.client.request('POST', LATCHES, latch('x'));
    const definition = await read(`${DEFINITIONS}/latches.shop.example`);
    for (const version of definition.spec.versions) version.storage = version.name === 'v2';
    await server.client.request('PUT', `${DEFINITIONS}/latches.shop.example`, definition);
    webhook.reply = (review, response) => {
      const { apiVersion, kind, response: answer } = success(review);
      send(response, { apiVersion, kind, response: { ...answer, result: { status: 'Failure', message: 'not today' } } });
    };
    await server.client.request('DELETE', `${DEFINITIONS}/latches.shop.example`);
    const terminating = async () => conditionOf(await read(`${DEFINITIONS}/latches.shop.example`), 'Terminating');
    await eventually(async () => (await terminating()).reason === 'InstanceDeletionFailed');
    const { status, message } = await terminating();
    assert.equal(
      [status, message],
      ['True', 'could not list instances: conversion webhook for shop.example/v1, Kind=Latch failed: not today'],
    );
    const { resourceVersion } = (await read(`${DEFINITIONS}/latches.shop.example`)).metadata;
    await sleep(500);
    assert.is((await read(`${DEFINITIONS}/latches.shop.example`)).metadata.resourceVersion, resourceVersion, 'it is told once');
    webhook.reply = converting;
    await eventually(isGone);
  } finally {
    await webhook.stop();
  }
});

test.run();
