/** Names of definitions of custom resources, over a store: who has them, who waits for them, who gets them when they are free. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, TestCluster } from '../server.ts';

const test = suite('names of definitions');
const API = 'apiextensions.k8s.io/v1';

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(() => cluster.remove());

const definition = (plural: string, names: object = {}) => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { plural, singular: plural.slice(0, -1), kind: plural.toUpperCase(), ...names },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const define = (plural: string, names?: object) => cluster.create(API, 'customresourcedefinitions', definition(plural, names));

/** Conditions as `type=status reason`. */
function conditions(plural: string): string[] {
  const found = cluster.objects('apiextensions.k8s.io/customresourcedefinitions/').find(({ spec }) => spec.names.plural === plural);
  return (found?.status.conditions ?? []).map((each: Record<string, string>) => `${each.type}=${each.status} ${each.reason}`);
}

const ESTABLISHED = ['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted'];

async function becomes(plural: string, expected: readonly string[]): Promise<void> {
  await eventually(
    () => conditions(plural).join() === expected.join(),
    () => `${plural} is ${conditions(plural).join() || 'without conditions'}`,
  );
}

test('a definition whose names are free has them, and is established', async () => {
  await cluster.start();
  await define('as', { shortNames: ['x'], categories: ['all'] });
  await becomes('as', ESTABLISHED);
  const [stored] = cluster.objects('apiextensions.k8s.io/customresourcedefinitions/');
  assert.equal(stored?.status.acceptedNames, {
    plural: 'as',
    singular: 'a',
    shortNames: ['x'],
    kind: 'AS',
    listKind: 'ASList',
    categories: ['all'],
  });
  assert.is(stored?.metadata.generation, 1);
});

const APPROVED = 'api-approved.kubernetes.io';
test('the approval of a group of the project itself is told, and follows the annotation', async () => {
  await cluster.start();
  const { spec } = definition('as');
  const metadata = { name: 'as.x.k8s.io', annotations: { [APPROVED]: 'unapproved, "a try"' } };
  await cluster.create(API, 'customresourcedefinitions', { metadata, spec: { ...spec, group: 'x.k8s.io' } });
  await becomes('as', ['KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation', ...ESTABLISHED]);
  const messages = () => cluster.objects('apiextensions.k8s.io/customresourcedefinitions/')[0]?.status.conditions[0].message;
  assert.is(messages(), 'not approved: "unapproved, \\"a try\\""');
  await cluster.edit(API, 'customresourcedefinitions', { name: metadata.name }, (object) => {
    object.metadata.annotations = { [APPROVED]: 'https://example.com/review' };
  });
  await becomes('as', ['KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation', ...ESTABLISHED]);
  assert.is(messages(), 'approved in https://example.com/review');
});

test('the APIServices of a definition are there before it is served', async () => {
  await cluster.start();
  await define('as');
  await becomes('as', ESTABLISHED);
  const [stored] = cluster.objects('apiextensions.k8s.io/customresourcedefinitions/');
  const service = cluster.objects('apiregistration.k8s.io/apiservices/').find(({ metadata }) => metadata.name === 'v1.example.com');
  assert.equal(service?.spec, { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 });
  assert.ok(Number(service?.metadata.resourceVersion) < Number(stored?.metadata.resourceVersion));
});

test('names that another definition of the group has must wait until they are free', async () => {
  await define('as');
  await cluster.start();
  await becomes('as', ESTABLISHED);
  await define('bs', { kind: 'AS', listKind: 'BSList' });
  await becomes('bs', ['NamesAccepted=False KindConflict', 'Established=False NotAccepted']);
  await cluster.delete(API, 'customresourcedefinitions', { name: 'as.example.com' });
  await cluster.edit(API, 'customresourcedefinitions', { name: 'as.example.com' }, ({ metadata }) => {
    delete metadata.finalizers;
  });
  await becomes('bs', ESTABLISHED);
});

test('a definition that wants other names is judged anew, and stays established', async () => {
  await cluster.start();
  await define('as');
  await becomes('as', ESTABLISHED);
  await define('bs', { shortNames: ['x'] });
  await becomes('bs', ESTABLISHED);
  const rename = (shortNames: string[]) =>
    cluster.edit(API, 'customresourcedefinitions', { name: 'as.example.com' }, ({ spec }) => {
      spec.names.shortNames = shortNames;
    });
  await rename(['x']);
  await becomes('as', ['NamesAccepted=False ShortNamesConflict', 'Established=True InitialNamesAccepted']);
  await rename(['y']);
  await becomes('as', ESTABLISHED);
});

test('of two that want one name before anybody looks, one gets it', async () => {
  await define('as', { kind: 'Same', listKind: 'One' });
  await define('bs', { kind: 'Same', listKind: 'Other' });
  await cluster.start();
  await becomes('as', ESTABLISHED);
  await becomes('bs', ['NamesAccepted=False KindConflict', 'Established=False NotAccepted']);
});

/** Holds each write of a definition back. @returns how many have been under way at most */
function slowWrites(): () => number {
  const { storage } = cluster.server;
  const update = storage.update.bind(storage);
  let [open, most] = [0, 0];
  storage.update = async (...written) => {
    most = Math.max(most, ++open);
    await sleep(20);
    open--;
    return update(...written);
  };
  return () => most;
}

test('many definitions of a group are established together', async () => {
  const mostWrites = slowWrites();
  const plurals = Array.from({ length: 8 }, (_, index) => `many${index}s`);
  for (const plural of plurals) await define(plural);
  await cluster.start();
  for (const plural of plurals) await becomes(plural, ESTABLISHED);
  assert.ok(mostWrites() >= 4, `${mostWrites()} writes were under way at most`);
});

test('of many that want one name at once, one gets it, and another one when it goes', async () => {
  slowWrites();
  const plurals = Array.from({ length: 8 }, (_, index) => `same${index}s`);
  for (const plural of plurals) await define(plural, { kind: 'Same', listKind: `${plural}List`, shortNames: ['same'] });
  await cluster.start();
  const accepted = () => plurals.filter((plural) => conditions(plural).join() === ESTABLISHED.join());
  const judged = () => plurals.filter((plural) => conditions(plural).length === 2);
  const one = () => judged().length === plurals.length && accepted().length === 1;
  await eventually(one, () => `${judged()} are judged, ${accepted()} accepted`);
  const [first] = accepted();
  await cluster.delete(API, 'customresourcedefinitions', { name: `${first}.example.com` });
  await eventually(
    () => accepted().length === 1 && accepted()[0] !== first,
    () => `${accepted()} are accepted after ${first}`,
  );
});

test('a definition whose webhook nobody could believe is not established until its authorities can be read', async () => {
  await cluster.start();
  const conversion = (caBundle?: string) => ({
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://hook.example', ...(caBundle && { caBundle }) }, conversionReviewVersions: ['v1'] },
  });
  const { metadata, spec } = definition('as');
  await cluster.create(API, 'customresourcedefinitions', { metadata, spec: { ...spec, conversion: conversion('Cg==') } });
  await becomes('as', ['NamesAccepted=True NoConflicts', 'Established=False InvalidCABundle']);
  await cluster.edit(API, 'customresourcedefinitions', { name: 'as.example.com' }, (old) => {
    old.spec.conversion = conversion();
  });
  await becomes('as', ESTABLISHED);
});

test.run();
