import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_FILE_BYTES } from '../../runtime/files/file-text.ts';
import type { FileKindName } from '../../runtime/files/file-versions.ts';
import { fileKinds, problemsOf } from './reader.ts';

const AUTHORIZATION = { group: 'apiserver.config.${groupDomain}', kind: 'AuthorizationConfiguration' };
const GOOD = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: RBAC
  name: rbac
`;
const kinds = fileKinds();
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcde'[index]}`).join(',')}]`).join('\n')}\n`;

const texts = suite('texts of files');
const POLICY: FileKindName = { group: 'audit.${groupDomain}', kind: 'Policy', mayMiss: ['kind'] };
const TRACING: FileKindName = { group: 'apiserver.config.${groupDomain}', kind: 'TracingConfiguration', mayMiss: ['kind', 'apiVersion'] };
const unsaid: [name: string, wanted: FileKindName, text: string, problems: RegExp[]][] = [
  ['a kind that goes without saying', POLICY, 'apiVersion: audit.k8s.io/v1\nrules: [{ level: None }]\n', []],
  [
    'a version that does not, though the kind does',
    POLICY,
    'kind: Policy\nrules: [{ level: None }]\n',
    [/^apiVersion: Required value; expected/],
  ],
  ['another kind than the one that goes without saying', POLICY, 'apiVersion: audit.k8s.io/v1\nkind: Event\n', [/^unknown apiVersion/]],
  ['another group than the one', POLICY, 'apiVersion: v1\nrules: [{ level: None }]\n', [/^unknown apiVersion/]],
  ['neither kind nor version', TRACING, 'endpoint: localhost:4317\n', []],
  ['an older version without a kind', TRACING, 'apiVersion: apiserver.config.k8s.io/v1alpha1\nendpoint: localhost:4317\n', []],
  ['a kind without a version', TRACING, 'kind: TracingConfiguration\n', []],
  ['an unknown member without kind and version', TRACING, 'colour: red\n', [/^unknown field "colour"$/]],
];
for (const [name, wanted, text, problems] of unsaid)
  texts(name, async () => {
    const found = await problemsOf(fileKinds(), text, wanted);
    assert.is(found.length, problems.length, found.join('\n'));
    for (const [index, problem] of problems.entries()) assert.match(found[index] as string, problem);
  });
const cases: [name: string, text: string, problems: RegExp[]][] = [
  ['YAML', GOOD, []],
  [
    'JSON',
    '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AuthorizationConfiguration","authorizers":[{"type":"RBAC","name":"r"}]}',
    [],
  ],
  ['documents around that hold nothing', `---\n${GOOD}---\n`, []],
  ['two documents', `${GOOD}---\n${GOOD}`, [/^it holds several documents, expected is one$/]],
  ['nothing', '', [/^it holds nothing$/]],
  ['a list', '- a\n', [/^it holds no object$/]],
  ['wrong syntax', 'a: [', [/^line 1: did not find expected node content$/]],
  ['aliases that multiply', `${GOOD}${bomb}`, [/[Aa]lias/]],
  ['nesting that is too deep', `${GOOD}x: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, [/^line \d+: exceeded max depth of 500$/]],
  [
    'no kind',
    GOOD.replace('kind: AuthorizationConfiguration\n', ''),
    [/^kind: Required value; expected is kind AuthorizationConfiguration/],
  ],
  ['no version', GOOD.replace(/^apiVersion.*\n/, ''), [/^apiVersion: Required value; expected is/]],
  ['another kind', GOOD.replace('kind: Auth', 'kind: Oth'), [/^unknown apiVersion\/kind: \S+, Kind=Othorization/]],
  [
    'a version of the other dialect',
    GOOD.replace('k8s.io', 'cluster.io'),
    [/expected is kind AuthorizationConfiguration with apiVersion apiserver\.config\.k8s\.io\/v1 or/],
  ],
  ['a kind that is no text', GOOD.replace('AuthorizationConfiguration', '7'), [/^unknown apiVersion\/kind: \S+, Kind=\(a number\)/]],
  ['an unknown member', `${GOOD}  colour: red\n`, [/^unknown field "authorizers\[0\]\.colour"$/]],
  ['a member that stands twice', `${GOOD}  name: other\n`, [/^line 6: key "name" already set in map$/]],
  ['a member of a wrong type', `${GOOD}  webhook: 3\n`, [/cannot unmarshal number/]],
  [
    'all that is wrong at once',
    `${GOOD}  colour: red\n- type: RBAC\n- type: Plumber\n  name: p\n`,
    [
      /^unknown field "authorizers\[0\]\.colour"$/,
      /^authorizers\[1\]\.type: Duplicate value: "RBAC"$/,
      /^authorizers\[1\]\.name: Required value$/,
      /^authorizers\[2\]\.type: Unsupported value: "Plumber"/,
    ],
  ],
];
for (const [name, text, expected] of cases)
  texts(name, async () => {
    const problems = await problemsOf(kinds, text, AUTHORIZATION);
    assert.is(problems.length, expected.length, problems.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(problems[index] as string, pattern);
  });
texts('of older versions become the newest', async () => {
  for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
    const { object, apiVersion } = await kinds.parse(GOOD.replace('io/v1', `io/${version}`), 'file', AUTHORIZATION);
    assert.is(apiVersion, `apiserver.config.k8s.io/${version}`);
    assert.is(object.apiVersion, 'apiserver.config.k8s.io/v1');
    assert.equal(object.authorizers, [{ type: 'RBAC', name: 'rbac' }]);
  }
});
texts('of kinds that nobody knows are a mistake of the program', async () => {
  await assertRejects(kinds.parse(GOOD, 'file', { group: '', kind: 'Toy' }), /no schema has the kind Toy/);
});
texts.run();

async function assertRejects(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  assert.match(String(error?.message), message);
}

const folder = mkdtempSync(path.join(tmpdir(), 'file-kinds-'));
const file = path.join(folder, 'file.yaml');
const files = suite('files');
files.after(() => rmSync(folder, { recursive: true }));
files('are read', async () => {
  writeFileSync(file, GOOD);
  assert.is((await kinds.read(file, AUTHORIZATION)).object.kind, 'AuthorizationConfiguration');
});
files('are named with all that is wrong', async () => {
  writeFileSync(file, `${GOOD}- type: RBAC\n`);
  await assertRejects(
    kinds.read(file, AUTHORIZATION),
    /file\.yaml:\n {2}authorizers\[1\]\.type: Duplicate value: "RBAC"\n {2}authorizers\[1\]\.name: Required value$/,
  );
});
files('of the largest size are read, larger ones are not', async () => {
  writeFileSync(file, `${GOOD}#${'x'.repeat(MAX_FILE_BYTES - GOOD.length - 1)}`);
  assert.ok(await kinds.read(file, AUTHORIZATION));
  truncateSync(file, MAX_FILE_BYTES + 1);
  await assertRejects(kinds.read(file, AUTHORIZATION), /larger than 3145728 bytes/);
});
files('that are not UTF-8 are refused', async () => {
  writeFileSync(file, Buffer.from([0x61, 0xff, 0x62]));
  await assertRejects(kinds.read(file, AUTHORIZATION), /not UTF-8/);
});
files('that are not there or none are refused at once', async () => {
  await assertRejects(kinds.read(path.join(folder, 'nothing'), AUTHORIZATION), /nothing: there is no such file or folder/);
  await assertRejects(kinds.read(folder, AUTHORIZATION), /not a regular file/);
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await assertRejects(kinds.read(pipe, AUTHORIZATION), /not a regular file/);
});
files.run();
