/** kubectl's own ways of writing: apply on both sides, diff, replace, edit, patches; with their owners. One conversation in one namespace. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl writes');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

/** One command, what it prints on both channels, and how it ends. */
interface Row {
  readonly name: string;
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
  /** default 0 */
  readonly code?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

function conversation(rows: readonly Row[]): void {
  for (const { name, run, input, prints, code = 0, environment } of rows)
    test(name, async () => {
      const output = await kubectl.try(run, input, environment);
      const said = output.stdout + output.stderr;
      assert.is(output.code, code, said);
      for (const expected of [prints].flat()) assert.match(said, expected, `kubectl ${run}\n${said}`);
    });
}

const settings = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data });
const OWNERS =
  'get cm settings --show-managed-fields -o jsonpath={range.metadata.managedFields[*]}{.manager}:{.operation}:{.fieldsV1}{"\\n"}{end}';
const deployment = (image: string, rest: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image, ...rest }] } },
  },
});

const scaled = (replicas: number) => ({ ...deployment('img:3'), spec: { ...deployment('img:3').spec, replicas } });

conversation([
  { name: 'a namespace', run: 'create namespace writes', prints: /created/ },
  { name: 'is the one of the context', run: 'config set-context --current --namespace=writes', prints: /modified/ },

  {
    name: 'apply on the server creates',
    run: 'apply --server-side -f -',
    input: settings({ a: '1', b: '1' }),
    prints: /settings serverside-applied$/m,
  },
  { name: 'its owner is kubectl', run: OWNERS.split(' '), prints: /^kubectl:Apply:\{"f:data":\{"f:a":\{\},"f:b":\{\}\}\}$/m },
  {
    name: 'another manager conflicts',
    run: 'apply --server-side --field-manager=other -f -',
    input: settings({ a: '2' }),
    prints: [/Apply failed with 1 conflict: conflict with "kubectl": \.data\.a/, /--force-conflicts/],
    code: 1,
  },
  {
    name: 'unless it forces',
    run: 'apply --server-side --field-manager=other --force-conflicts -f -',
    input: settings({ a: '2' }),
    prints: /serverside-applied/,
  },
  {
    name: 'and then owns the field',
    run: OWNERS.split(' '),
    prints: [/^kubectl:Apply:\{"f:data":\{"f:b":\{\}\}\}$/m, /^other:Apply:\{"f:data":\{"f:a":\{\}\}\}$/m],
  },
  { name: 'what a manager leaves out goes', run: 'apply --server-side -f -', input: settings({ c: '1' }), prints: /serverside-applied/ },
  { name: 'and nothing else does', run: 'get cm settings -o jsonpath={.data}', prints: /^\{"a":"2","c":"1"\}$/ },
  {
    name: 'a dry run of an apply changes nothing',
    run: 'apply --server-side --dry-run=server -f -',
    input: settings({ c: '9' }),
    prints: /serverside-applied \(server dry run\)/,
  },
  {
    name: 'diff against the server',
    run: 'diff --server-side -f -',
    input: settings({ c: '9' }),
    prints: [/^- {2}c: "1"$/m, /^\+ {2}c: "9"$/m],
    code: 1,
  },
  { name: 'diff that finds nothing', run: 'diff --server-side -f -', input: settings({ c: '1' }), prints: /^$/ },
  {
    name: 'YAML in a file of several documents',
    run: 'apply --server-side -f -',
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n',
    prints: [/one serverside-applied/, /two serverside-applied/],
  },
  {
    name: 'an unknown field is refused',
    run: 'apply --server-side -f -',
    input: { ...settings({}), extra: 1 },
    prints: /\.extra: field not declared in schema/,
    code: 1,
  },

  { name: 'apply by the client creates', run: 'apply -f -', input: deployment('img:1'), prints: /web created$/m },
  { name: 'changes', run: 'apply -f -', input: deployment('img:2', { args: ['x'] }), prints: /web configured$/m },
  { name: 'and takes away', run: 'apply -f -', input: deployment('img:2'), prints: /web configured$/m },
  {
    name: 'what it left out',
    run: 'get deploy web -o jsonpath={.spec.template.spec.containers[0].image},{.spec.template.spec.containers[0].args}',
    prints: /^img:2,$/,
  },
  {
    name: 'diff by the client',
    run: 'diff -f -',
    input: deployment('img:3'),
    prints: [/^-.*image: img:2$/m, /^\+.*image: img:3$/m],
    code: 1,
  },
  {
    name: 'goes over to the server without a conflict',
    run: 'apply --server-side -f -',
    input: deployment('img:3'),
    prints: /web serverside-applied$/m,
  },
  {
    name: 'whose owner then is another one',
    run: 'get deploy web --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}',
    prints: /^kubectl-last-applied kubectl$/,
  },
  { name: 'apply of the number of replicas', run: 'apply --server-side -f -', input: scaled(2), prints: /serverside-applied/ },
  { name: 'scale', run: 'scale deploy web --replicas=3', prints: /scaled/ },
  {
    name: 'takes it over through its subresource',
    run: 'apply --server-side -f -',
    input: scaled(2),
    prints: /conflict with "kubectl" with subresource "scale" using apps\/v1: \.spec\.replicas/,
    code: 1,
  },

  { name: 'replace', run: 'replace -f -', input: settings({ z: '1' }), prints: /settings replaced$/m },
  { name: 'is an update of everything', run: 'get cm settings -o jsonpath={.data}', prints: /^\{"z":"1"\}$/ },
  { name: 'merge patch', run: ['patch', 'cm', 'settings', '--type=merge', '-p', '{"data":{"m":"1"}}'], prints: /patched$/m },
  {
    name: 'JSON patch',
    run: ['patch', 'cm', 'settings', '--type=json', '-p', '[{"op":"add","path":"/data/j","value":"1"}]'],
    prints: /patched$/m,
  },
  { name: 'strategic merge patch', run: ['patch', 'cm', 'settings', '-p', '{"data":{"s":"1"}}'], prints: /patched$/m },
  {
    name: 'all three hold, and have one owner',
    run: OWNERS.split(' '),
    prints: [/^kubectl-patch:Update:\{"f:data":\{"f:j":\{\},"f:m":\{\},"f:s":\{\}\}\}$/m],
  },
  { name: 'label', run: 'label cm settings tier=web', prints: /labeled$/m },
  { name: 'annotate', run: 'annotate cm settings note=x', prints: /annotated$/m },
]);

test('edit writes what the editor leaves', async () => {
  const editor = path.join(server.directory, 'editor.sh');
  await writeFile(editor, '#!/bin/sh\nsed -i \'s/z: "1"/z: "edited"/\' "$1"\n', { mode: 0o755 });
  const { code, stdout, stderr } = await kubectl.try('edit cm settings', undefined, { KUBE_EDITOR: editor });
  assert.is(code, 0, stderr);
  assert.match(stdout, /settings edited/);
  assert.is(await kubectl.run('get cm settings -o jsonpath={.data.z}'), 'edited');
});

test.run();
