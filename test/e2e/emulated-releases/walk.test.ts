/**
 * One store under each release after the other, from the oldest to the newest and back: what was written under one is read under all that serve it, in every
 * version, and is the same on the way back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyOf } from './objects.ts';
import { type EmulatingServer, type ListedResource, listedResources, releases, startAt } from './server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'walked-releases-'));
/** All, but for the one whose controller removes candidates that answer nobody, as this test's do; releases before 1.31 do not know it. */
const gatesOf = (release: string): Record<string, boolean> => ({
  AllAlpha: true,
  AllBeta: true,
  ...(Number(release.split('.')[1]) >= 31 && { CoordinatedLeaderElection: false }),
});
const flags = {
  'runtime-config': { 'api/all': true },
  // nothing changes objects but this test
  controllers: ['-*'],
  'disable-admission-plugins': [
    'DefaultIngressClass',
    'DefaultStorageClass',
    'LimitRanger',
    'NamespaceLifecycle',
    'PodSecurity',
    'Priority',
    'ResourceQuota',
    'RuntimeClass',
    'ServiceAccount',
  ],
};

const isStored = ({ verbs, name }: ListedResource): boolean => verbs.includes('create') && verbs.includes('list') && !name.includes('/');
const versionOf = ({ group, version }: ListedResource): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
const shownAs = (resource: ListedResource): string => `${versionOf(resource)} ${resource.kind}`;
const pathOf = (resource: ListedResource): string =>
  `${versionOf(resource)}/${resource.namespaced ? 'namespaces/default/' : ''}${resource.name}`;

/** What a client sees of an object, without what each write changes. */
function seen(object: { metadata: Record<string, unknown> }): object {
  const { managedFields: _managedFields, resourceVersion: _resourceVersion, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** By version and kind: the uid of the object, which it keeps. */
const uids = new Map<string, unknown>();
/** By release, version and kind: the object as it was on the way up. */
const onTheWayUp = new Map<string, object>();
const created = new Set<string>();

const test = suite('one store under all releases');
test.after(() => rmSync(folder, { recursive: true, force: true }));

const each = async <T>(resources: readonly ListedResource[], use: (resource: ListedResource) => Promise<T>): Promise<T[]> =>
  Promise.all(resources.map(use));

/** In the version that is preferred; kinds of one name in several groups are one. @returns what could not be created, with the reason */
async function createMissing({ call }: EmulatingServer, resources: readonly ListedResource[]): Promise<string[]> {
  const refused: string[] = [];
  for (const resource of resources) {
    const { name, body } = bodyOf(resource);
    if (created.has(shownAs(resource))) continue;
    const { status, body: answer } = await call('POST', `${pathOf(resource)}?fieldValidation=Strict`, body);
    if (status === 201) created.add(shownAs(resource));
    else if (status !== 409 || (await call('GET', `${pathOf(resource)}/${name}`)).status !== 200)
      refused.push(`${shownAs(resource)}: ${status} ${answer.message}`);
  }
  return refused;
}

/** @returns by version and kind */
async function readAll({ call }: EmulatingServer, resources: readonly ListedResource[]): Promise<Map<string, object>> {
  const found = await each(resources, async (resource): Promise<[string, object]> => {
    const { name } = bodyOf(resource);
    const { status, body } = await call('GET', pathOf(resource));
    assert.is(status, 200, `${shownAs(resource)}: ${body.message}`);
    const item = body.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === name);
    assert.ok(item !== undefined, `${shownAs(resource)} has no ${name}`);
    return [shownAs(resource), seen(item)];
  });
  return new Map(found);
}

/** Every object is written, so that it is stored anew; what is read is what writers are told. */
async function touchAll({ call }: EmulatingServer, resources: readonly ListedResource[], when: string): Promise<void> {
  const one = new Map(resources.map((resource) => [resource.kind, resource]));
  await each([...one.values()], async (resource) => {
    const { name } = bodyOf(resource);
    const patch = { metadata: { annotations: { touched: when } } };
    const written = await call('PATCH', `${pathOf(resource)}/${name}`, patch, { 'content-type': 'application/merge-patch+json' });
    assert.is(written.status, 200, `${shownAs(resource)}: ${written.body.message}`);
    const { body } = await call('GET', `${pathOf(resource)}/${name}`);
    assert.equal(body, written.body, shownAs(resource));
  });
}

async function atRelease(
  release: string,
  use: (server: EmulatingServer, resources: readonly ListedResource[]) => Promise<void>,
): Promise<void> {
  const server = await startAt(release, { flags: { ...flags, 'feature-gates': gatesOf(release) }, store: { directory: folder } });
  try {
    await use(server, (await listedResources(server)).filter(isStored));
  } finally {
    await server.stop();
  }
}

for (const release of releases)
  test(`${release} reads what the releases before it wrote, and adds its kinds`, () =>
    atRelease(release, async (server, resources) => {
      assert.equal(await createMissing(server, resources), []);
      await touchAll(server, resources, `up ${release}`);
      for (const [name, object] of await readAll(server, resources)) {
        const { uid } = (object as { metadata: { uid: unknown } }).metadata;
        if (!uids.has(name)) uids.set(name, uid);
        assert.is(uid, uids.get(name), name);
        onTheWayUp.set(`${release} ${name}`, object);
      }
    }));
for (const release of releases.toReversed())
  test(`${release} reads what the releases after it wrote`, () =>
    atRelease(release, async (server, resources) => {
      await touchAll(server, resources, `down ${release}`);
      for (const [name, object] of await readAll(server, resources)) {
        const before = onTheWayUp.get(`${release} ${name}`);
        // the definition came while its release was walked through
        if (before === undefined) assert.match(name, / Lamp$/);
        else assert.equal(untouched(object), untouched(before), `${release} ${name}`);
      }
    }));
test.run();

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind
function untouched(object: any): object {
  const { touched: _touched, ...annotations } = object.metadata.annotations;
  return { ...object, metadata: { ...object.metadata, annotations } };
}
