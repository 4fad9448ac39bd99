/** `cluster-schema convert` as a command: files, folders and standard input, what it writes and where, what it says, and how it ends. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../../codegen/commands/command.ts';
import { run } from '../../../codegen/commands/convert.ts';
import { oldestRelease } from '../../../generated/releases.ts';

const root = path.join(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'convert-command-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** A new folder with these files. */
function files(texts: Record<string, string>): string {
  const own = path.join(folder, String(++count));
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(path.dirname(path.join(own, name)), { recursive: true });
    writeFileSync(path.join(own, name), text);
  }
  return own;
}

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** In this process, with what it prints caught. */
async function convert(...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const { log, error } = console;
  const write = process.stdout.write;
  console.log = (text) => out.push(`${text}\n`);
  console.error = (text) => err.push(`${text}\n`);
  process.stdout.write = ((text: string) => out.push(text) > 0) as typeof process.stdout.write;
  try {
    const status = await run(root, args);
    return { status, out: out.join(''), err: err.join('') };
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
  }
}

const CRON = `# backs up
apiVersion: batch/v1beta1   # to be converted
kind: CronJob
metadata: { name: "backup" }
spec:
  schedule: '0 3 * * *'     # at night
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}}}
`;
const SERVICE = `apiVersion: v1
kind:   Service
metadata: {name: s}   # stays
spec: {ports: [{port: 80}]}
`;

const program = suite('cluster-schema convert, the program');
program('reads standard input and writes standard output', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['codegen/main.ts', 'convert', '-f', '-'], {
    input: CRON,
    encoding: 'utf8',
    cwd: root,
  });
  assert.is(stderr, '');
  assert.is(stdout, CRON.replace('batch/v1beta1', 'batch/v1'));
  assert.is(status, 0);
});
program('says with --help all its flags', () => {
  const { status, stdout } = spawnSync(process.execPath, ['codegen/main.ts', 'convert', '--help'], { encoding: 'utf8', cwd: root });
  assert.is(status, 0);
  const source = readFileSync(path.join(root, 'codegen/commands/convert.ts'), 'utf8');
  const flags = [...(/const options = \{([\s\S]*?)\} as const/.exec(source)?.[1] ?? '').matchAll(/^ {4}'?([a-z-]+)'?:/gm)].map(
    ([, name]) => name,
  );
  assert.ok(flags.length > 10);
  assert.equal(
    flags.filter((flag) => !new RegExp(`^ +(?:-\\w, )?--${flag}\\b`, 'm').test(stdout)),
    [],
  );
});
program('ends with 2 and its usage where the command line is wrong', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['codegen/main.ts', 'convert'], { encoding: 'utf8', cwd: root });
  assert.is(status, 2);
  assert.is(stdout, '');
  assert.match(stderr, /^cluster-schema convert: -f names what is to be converted\n\nusage: cluster-schema convert -f FILE/);
});
program.run();

const wrong = suite('cluster-schema convert, wrong command lines');
const lines: [name: string, args: string[], message: RegExp][] = [
  ['nothing to convert', ['--output-version', 'apps/v1'], /-f names what/],
  ['files without the flag', ['a.yaml'], /-f names what/],
  ['an unknown flag', ['-f', 'a', '--sideways'], /--sideways/],
  [
    'a version that no schema has',
    ['-f', 'a', '--output-version', 'apps/v3'],
    /no schema has apps\/v3; of this group they have apps\/v1, apps\/v1beta2, apps\/v1beta1/,
  ],
  ['a group that no schema has', ['-f', 'a', '--output-version', 'nothing/v1'], /no schema has nothing\/v1$/],
  ['a release that is not known', ['-f', 'a', '--release', '1.99'], new RegExp(`no release 1\\.99 here; known are ${oldestRelease} to`)],
  ['a release that is too old', ['-f', 'a', '--check', '1.5'], /no release 1\.5 here/],
  ['an unknown format', ['-f', 'a', '-o', 'xml'], /--output is yaml or json, not xml/],
  ['an unknown dialect', ['-f', 'a', '--dialect', 'x'], /--dialect is cluster or kubernetes, not x/],
  ['two places for the files', ['-f', 'a', '--in-place', '--out', 'b'], /exclude each other/],
  ['another format in place', ['-f', 'a', '--in-place', '-o', 'json'], /--in-place keeps the form/],
  ['standard input in place', ['-f', '-', '--in-place'], /no file to write back to/],
  ['standard input twice', ['-f', '-', '-f', '-'], /can be read once/],
  ['a check that converts', ['-f', 'a', '--check', '1.32', '--out', 'b'], /--check converts nothing, so --out has no meaning/],
  ['JSON of a list that is not asked for', ['-f', 'a', '--json'], /--json belongs to --check/],
];
for (const [name, args, message] of lines)
  wrong(name, async () => {
    try {
      await convert(...args);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, UsageError);
      assert.match((error as Error).message, message);
    }
  });
wrong.run();

const places = suite('cluster-schema convert, files and folders');
places('a folder has its own manifests, with -R those within it too', async () => {
  const own = files({
    'a.yaml': CRON,
    'deep/er/b.yml': CRON,
    'c.json': '{"apiVersion":"v1","kind":"Secret"}',
    'notes.txt': 'no: [manifest',
    'README.md': '{{',
  });
  const flat = await convert('-f', own);
  assert.is(flat.status, 0);
  assert.is(flat.out.match(/batch\/v1\b/g)?.length, 1);
  assert.match(flat.out, /Secret/);
  const deep = await convert('-R', '-f', own);
  assert.is(deep.out.match(/batch\/v1\b/g)?.length, 2);
});
places('files stand behind each other as documents of one stream', async () => {
  const own = files({ 'a.yaml': CRON.trimEnd(), 'b.yaml': `---\n${SERVICE}`, 'c.yaml': SERVICE });
  const { out } = await convert('-f', own);
  assert.is(out, `${CRON.replace('v1beta1', 'v1')}---\n${SERVICE}---\n${SERVICE}`);
});
places('-f may be given several times', async () => {
  const own = files({ 'a.yaml': CRON, 'b.yaml': SERVICE });
  const { out } = await convert('-f', path.join(own, 'b.yaml'), '--filename', path.join(own, 'a.yaml'));
  assert.is(out, `${SERVICE}---\n${CRON.replace('v1beta1', 'v1')}`);
  const several = await convert('-f', path.join(own, 'b.yaml'), path.join(own, 'a.yaml'));
  assert.is(several.out, out, 'as shells write out patterns of names');
});
places('in place files are written back that change, with their mode, through links', async () => {
  const own = files({ 'a.yaml': CRON, 'b.yaml': SERVICE });
  symlinkSync('a.yaml', path.join(own, 'link.yaml'));
  const before = statSync(path.join(own, 'b.yaml')).mtimeMs;
  const { status, out } = await convert('-f', path.join(own, 'link.yaml'), '-f', path.join(own, 'b.yaml'), '--in-place');
  assert.is(status, 0);
  assert.is(out, `${path.join(own, 'link.yaml')}\n`);
  assert.is(readFileSync(path.join(own, 'a.yaml'), 'utf8'), CRON.replace('v1beta1', 'v1'));
  assert.is(statSync(path.join(own, 'b.yaml')).mtimeMs, before);
});
places('--out has every file where it was', async () => {
  const own = files({ 'in/a.yaml': CRON, 'in/x/b.yaml': SERVICE });
  const { status, out } = await convert('-R', '-f', path.join(own, 'in'), '--out', path.join(own, 'out'));
  assert.is(status, 0);
  assert.is(out, `${path.join(own, 'out/a.yaml')}\n${path.join(own, 'out/x/b.yaml')}\n`);
  assert.is(readFileSync(path.join(own, 'out/a.yaml'), 'utf8'), CRON.replace('v1beta1', 'v1'));
  assert.is(readFileSync(path.join(own, 'out/x/b.yaml'), 'utf8'), SERVICE);
  assert.is(readFileSync(path.join(own, 'in/a.yaml'), 'utf8'), CRON);
});
places('--out names files by their format', async () => {
  const own = files({ 'in/a.yaml': CRON });
  await convert('-f', path.join(own, 'in/a.yaml'), '--out', path.join(own, 'out'), '-o', 'json');
  assert.is(JSON.parse(readFileSync(path.join(own, 'out/a.json'), 'utf8')).apiVersion, 'batch/v1');
});
places('two files that would become one are refused', async () => {
  const own = files({ 'x/a.yaml': CRON, 'y/a.yaml': CRON });
  const { status, err } = await convert('-f', path.join(own, 'x'), '-f', path.join(own, 'y'), '--out', path.join(own, 'out'));
  assert.is(status, 1);
  assert.match(err, /a\.yaml would be written from .*x\/a\.yaml as well; convert them to different folders/);
  assert.not(existsSync(path.join(own, 'out')));
});
places('JSON of one object is that object, of several a List', async () => {
  const own = files({ 'a.yaml': CRON, 'b.yaml': SERVICE });
  const one = JSON.parse((await convert('-f', path.join(own, 'a.yaml'), '-o', 'json')).out);
  assert.is(one.apiVersion, 'batch/v1');
  const list = JSON.parse((await convert('-f', own, '-o', 'json')).out);
  assert.is(list.kind, 'List');
  assert.equal(
    list.items.map((item: { kind: string }) => item.kind),
    ['CronJob', 'Service'],
  );
});
places('JSON is written as YAML where that is asked for', async () => {
  const own = files({
    'a.json': '{"apiVersion":"batch/v1beta1","kind":"CronJob","metadata":{"name":"a"},"spec":{"schedule":"* * * * *"}}',
  });
  const { out } = await convert('-f', own, '-o', 'yaml');
  assert.is(
    out,
    "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: a\nspec:\n  jobTemplate: {}\n  schedule: '* * * * *'\n".replace(
      '  jobTemplate: {}\n',
      '',
    ),
  );
});
places.run();

const errors = suite('cluster-schema convert, errors');
const broken: [name: string, text: string, message: RegExp][] = [
  ['wrong YAML has its file and line', `${SERVICE}---\na: b\nc: [d\n`, /a\.yaml:[78]: error: /],
  ['wrong JSON has its file', '{"a": [1}', /a\.yaml:1: error: /],
  [
    'a document that is no object',
    `${SERVICE}---\n- a\n`,
    /a\.yaml:6: error: the document is no object; a manifest has apiVersion and kind\./,
  ],
  [
    'a value of the wrong type has the place of its document and the words of the server',
    `${SERVICE}---\napiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\nspec: {suspend: often}\n`,
    /a\.yaml:6: error: CronJob "c": it is no object of batch\/v1beta1: json: cannot unmarshal string into Go struct field CronJobSpec\.spec\.suspend of type bool/,
  ],
  [
    'a value of the wrong type in a list has the line of its object',
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n- apiVersion: batch/v1beta1\n  kind: CronJob\n  spec: {suspend: often}\n',
    /a\.yaml:6: error: CronJob: it is no object/,
  ],
  ['aliases that multiply', hostileAliases(), /a\.yaml:1: error: document contains excessive aliasing/],
  ['an alias of nothing', 'a: *b\n', /a\.yaml:1: error: unknown anchor 'b' referenced/],
  ['nesting without end', `a: ${'['.repeat(600)}\n`, /a\.yaml:1: error: exceeded max depth of 500/],
  [
    'lists within lists without end',
    'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, '.repeat(1) +
      `items: ${'[{apiVersion: v1, kind: List, items: '.repeat(12)}[]${'}]'.repeat(12)}}]\n`,
    /a\.yaml:1: error: .*more than 8 lists are within each other/,
  ],
  [
    'a document that no server would take',
    `a: ${'x'.repeat(3 * 1024 * 1024)}\n`,
    /a\.yaml:1: error: the document is longer than 3145728 characters/,
  ],
];
for (const [name, text, message] of broken)
  errors(name, async () => {
    const own = files({ 'a.yaml': text, 'b.yaml': CRON });
    const { status, out, err } = await convert('-f', own);
    assert.is(status, 1);
    assert.is(out, '', 'nothing is printed');
    assert.match(err, message);
    assert.match(err, /^Nothing was written\.$/m);
  });
function hostileAliases(): string {
  const level = (name: string, of: string) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(', ')}]\n`;
  const names = 'abcdefghijk'.split('');
  return `a: &a [${'x, '.repeat(9)}x]\n${names
    .slice(1)
    .map((name, index) => level(name, names[index] as string))
    .join('')}`;
}
errors('in place nothing is written where one file is wrong', async () => {
  const own = files({ 'a.yaml': CRON, 'b.yaml': 'a: [' });
  assert.is((await convert('-f', own, '--in-place')).status, 1);
  assert.is(readFileSync(path.join(own, 'a.yaml'), 'utf8'), CRON);
});
const unreadable: [name: string, place: (own: string) => string, message: RegExp][] = [
  ['a file that is not there', (own) => path.join(own, 'x.yaml'), /x\.yaml: error: ENOENT/],
  ['an address', () => 'https://example.com/a.yaml', /error: addresses are not read; fetch the file first/],
  [
    'a folder without manifests',
    (own) => path.join(own, 'empty'),
    /empty: error: the folder has no \.yaml, \.yml or \.json files; -R reads the folders within it too/,
  ],
  ['what is no UTF-8', (own) => path.join(own, 'latin.yaml'), /latin\.yaml: error: it is not UTF-8/],
  ['a device', () => '/dev/zero', /\/dev\/zero: error: it is neither a file nor a folder/],
];
for (const [name, place, message] of unreadable)
  errors(name, async () => {
    const own = files({ 'empty/deep/a.yaml': CRON });
    writeFileSync(path.join(own, 'latin.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xe4]));
    const { status, err } = await convert('-f', place(own));
    assert.is(status, 1);
    assert.match(err, message);
  });
errors.run();

const checks = suite('cluster-schema convert --check');
const MANIFESTS = {
  'web/deployment.yaml': `${SERVICE}---\n# old\napiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n`,
  'web/list.yaml':
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1beta1\n  kind: CronJob\n  metadata: {name: a}\n- apiVersion: example.com/v1\n  kind: Widget\n',
  'typed.yaml': 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudgetList\nitems:\n- metadata: {name: b}\n',
  'review.json': '{"apiVersion": "v1", "kind": "ComponentStatus"}',
};
checks('lists what a release does not serve, with file, line, document, kind and replacement', async () => {
  const own = files(MANIFESTS);
  const { status, out, err } = await convert('-R', '-f', own, '--check', '1.25');
  assert.is(err, '');
  assert.equal(out.replaceAll(`${own}/`, '').split('\n'), [
    'review.json:1: document 1: v1 ComponentStatus is deprecated since 1.19; 1.25 serves it in no other version.',
    'typed.yaml:1: document 1: policy/v1beta1 PodDisruptionBudgetList is not served since 1.25; use policy/v1 PodDisruptionBudgetList.',
    'typed.yaml:4: document 1: policy/v1beta1 PodDisruptionBudget "b" is not served since 1.25; use policy/v1 PodDisruptionBudget.',
    'web/deployment.yaml:7: document 2: extensions/v1beta1 Deployment "shop/web" is not served since 1.16; use apps/v1 Deployment.',
    'web/list.yaml:4: document 1: batch/v1beta1 CronJob "a" is not served since 1.25; use batch/v1 CronJob.',
    '7 objects in 4 files, by release 1.25: 4 not served any more, 1 deprecated. 1 of unknown kinds were passed over: example.com/v1 Widget.',
    '',
  ]);
  assert.is(status, 1);
});
checks('ends with 0 where all is served, and says what is deprecated', async () => {
  const own = files({ 'a.yaml': CRON });
  const { status, out } = await convert('-f', own, '--check', '1.24');
  assert.is(status, 0);
  assert.match(
    out,
    /a\.yaml:2: document 1: batch\/v1beta1 CronJob "backup" is deprecated since 1\.21, not served since 1\.25; use batch\/v1 CronJob\./,
  );
});
checks('knows what a release does not serve yet', async () => {
  const own = files({ 'a.yaml': 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n' });
  const { status, out } = await convert('-f', own, '--check', '1.22');
  assert.is(status, 1);
  assert.match(out, /autoscaling\/v2 HorizontalPodAutoscaler is not served before 1\.23; use autoscaling\/v1 HorizontalPodAutoscaler\./);
});
checks('prints JSON', async () => {
  const own = files({ ...MANIFESTS, 'wrong.yaml': 'a: [' });
  const { status, out } = await convert('-R', '-f', own, '--check', '1.25', '--json');
  assert.is(status, 1);
  const { findings, ...others } = JSON.parse(out);
  assert.equal(
    { ...others, errors: others.errors.map(({ file, line }: { file: string; line: number }) => [path.basename(file), line]) },
    {
      release: '1.25',
      failed: true,
      files: 5,
      objects: 7,
      unknown: [{ kind: 'example.com/v1 Widget', count: 1 }],
      errors: [['wrong.yaml', 1]],
    },
  );
  assert.equal(findings[3], {
    deprecatedIn: '1.8',
    removedIn: '1.16',
    introducedIn: null,
    replacement: { apiVersion: 'apps/v1', kind: 'Deployment' },
    advice: null,
    file: path.join(own, 'web/deployment.yaml'),
    line: 7,
    document: 2,
    apiVersion: 'extensions/v1beta1',
    kind: 'Deployment',
    object: 'Deployment "shop/web"',
    standing: 'removed',
  });
});
checks('says what is wrong in a file, and goes on with the others', async () => {
  const own = files({ 'a.yaml': 'a: [', 'b.yaml': CRON });
  const { status, out, err } = await convert('-f', own, '--check', '1.25');
  assert.is(status, 1);
  assert.match(err, /a\.yaml:\d: error: /);
  assert.match(out, /b\.yaml:2: document 1: batch\/v1beta1 CronJob/);
});
checks.run();
