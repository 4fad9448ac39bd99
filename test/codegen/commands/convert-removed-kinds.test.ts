/** The table of removed versions of the specification: each kind has a row that says what becomes of it, and what people are told. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ManifestChecker } from '../../../codegen/convert/check-manifests.ts';
import { ManifestKinds } from '../../../codegen/convert/manifest-kinds.ts';
import type { GroupVersionData } from '../../../runtime/contract/kind.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { convert, generated, kinds } from './converted-kinds.ts';
import { removedBefore125 } from './removed-before-1-25.ts';
import type { Json } from './removed-kind.ts';
import { removedSince125 } from './removed-since-1-25.ts';

const rows = [...removedSince125, ...removedBefore125];

const removed = suite('removed kinds');
for (const [index, { from, kind, written, to, becomes = written, notices = [] }] of rows.entries())
  removed(`${index + 1}: ${from} ${kind} goes to ${to}`, async () => {
    const before = structuredClone(written);
    const { value, notices: told } = await convert({ apiVersion: from, kind, ...written });
    assert.equal(value, { apiVersion: to, kind, ...becomes });
    assert.equal(
      told.map((text, at) => (text.startsWith(notices[at] ?? '\0') ? notices[at] : text)),
      notices,
    );
    assert.equal(written, before, 'what was written has not changed');
  });
removed('each has a row that some version takes the place of', async () => {
  const gone: string[] = [];
  for (const { load, group, version } of generated.groupVersions) {
    const modules = Object.entries((await load()).kinds);
    const lists = new Set(modules.map(([, data]) => data.list));
    for (const [kind, data] of modules) {
      if (data.lifecycle.removed === undefined || lists.has(kind)) continue;
      const text = kinds.identity.text(group);
      const known = await kinds.find(text === '' ? version : `${text}/${version}`, kind);
      if (known === undefined || data.lifecycle.replacement === undefined || (await kinds.servedForm(known, '1.32')) === undefined)
        continue;
      gone.push(`${known.apiVersion} ${kind}`);
    }
  }
  const stated = new Set(rows.map(({ from, kind }) => `${from} ${kind}`));
  assert.ok(gone.length > 40, `${gone.length}`);
  assert.equal(
    // Alpha versions may go at any time; the table has none.
    gone.filter((name) => !stated.has(name) && !/alpha/.test(name)),
    [],
  );
});
removed.run();

const nowhere = suite('removed kinds that nothing replaces');
const gone: [apiVersion: string, kind: string, advice: RegExp][] = [
  ['policy/v1beta1', 'PodSecurityPolicy', /^No kind takes its place: pod security admission .* pod-security\.kubernetes\.io\/enforce/],
  ['extensions/v1beta1', 'PodSecurityPolicy', /^No kind takes its place: pod security admission/],
  ['settings.k8s.io/v1alpha1', 'PodPreset', /^No kind takes its place: a mutating webhook/],
  ['auditregistration.k8s.io/v1alpha1', 'AuditSink', /^No kind takes its place: flags/],
  ['apps/v1beta1', 'DeploymentRollback', /^No kind takes its place: clients roll back/],
  ['extensions/v1beta1', 'DeploymentRollback', /^No kind takes its place: clients roll back/],
];
for (const [apiVersion, kind, advice] of gone)
  nowhere(`${apiVersion} ${kind}`, async () => {
    const checker = new ManifestChecker(new ManifestKinds(generated, 'kubernetes'), '1.32');
    await checker.checkFile({ name: 'a.yaml', path: 'a.yaml', relative: 'a.yaml', text: `apiVersion: ${apiVersion}\nkind: ${kind}\n` });
    const [finding] = checker.result.findings;
    assert.is(finding?.standing, 'removed');
    assert.is(finding?.replacement, undefined);
    assert.match(finding?.advice ?? '', advice);
  });
nowhere('a policy for pods goes to the version that served it longest', async () => {
  const known = await kinds.find('extensions/v1beta1', 'PodSecurityPolicy');
  assert.ok(known);
  assert.is((await kinds.servedForm(known, '1.20'))?.apiVersion, 'policy/v1beta1');
});
nowhere.run();

const taken = suite('what removed kinds become');
taken('is taken by a server, unless the notices say what it refuses', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  try {
    const failures: string[] = [];
    for (const [index, { from, kind, written }] of rows.entries()) {
      const { value, notices } = await convert({ apiVersion: from, kind, ...written });
      const path = await collectionOf(value);
      if (path === undefined) continue;
      const refused = notices.some((text) => text.includes(' refuses it: '));
      try {
        await server.client.request('POST', `${path}?dryRun=All`, value);
        if (refused) failures.push(`${index + 1}: taken, against its notices`);
      } catch (error) {
        if (!refused) failures.push(`${index + 1}: ${from} ${kind}: ${(error as Error).message}`);
      }
    }
    assert.equal(failures, []);
  } finally {
    await server.stop();
  }
});
taken.run();

/** Undefined for what no client creates in a collection. */
async function collectionOf({ apiVersion, kind }: Json): Promise<string | undefined> {
  const { groupVersions } = (await import('../../../generated/routes.ts')) as { groupVersions: readonly GroupVersionData[] };
  const version = groupVersions.find(({ group, version: name }) => `${kinds.identity.text(group)}/${name}` === apiVersion);
  const resource = version?.resources.find((each) => each.kind === kind);
  if (resource === undefined) return undefined;
  return `/apis/${apiVersion}${resource.scope === 'Namespaced' ? '/namespaces/default' : ''}/${resource.name}`;
}
