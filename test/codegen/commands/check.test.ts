/** `cluster-schema check` in repositories of its own: what it compares with, what it prints, and how it ends. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policyToys, specOf } from '../policy/states.ts';
import { type Json, Tree } from '../tree.ts';
import { type CommandOutcome, runSchemaCommand } from './in-process.ts';

const CHECKOUT = path.join(import.meta.dirname, '../../..');

/** A checkout with the toy schemas. */
class Checkout {
  readonly root = mkdtempSync(path.join(tmpdir(), 'cluster-check-'));

  constructor() {
    symlinkSync(path.join(CHECKOUT, 'runtime'), path.join(this.root, 'runtime'));
    this.write(() => {});
  }

  write(edit: (files: Parameters<typeof policyToys>[0]) => void): void {
    const tree = new Tree((files) => {
      policyToys(files);
      edit(files);
    });
    rmSync(path.join(this.root, 'schemas'), { recursive: true, force: true });
    cpSync(path.join(tree.root, 'schemas'), path.join(this.root, 'schemas'), { recursive: true });
    tree.remove();
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', '-c', 'tag.gpgsign=false'];
    return execFileSync('git', ['-C', this.root, ...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }

  commit(): void {
    this.git('add', 'schemas');
    this.git('commit', '-q', '-m', 'a');
  }

  check(...args: string[]): Promise<CommandOutcome> {
    return runSchemaCommand(this.root, 'check', ...args);
  }
}

// findings are printed for people
process.env.GITHUB_ACTIONS = '';

const check = suite('cluster-schema check');
check.before.each((context) => {
  context.checkout = new Checkout();
});
check.after.each(({ checkout }) => rmSync(checkout.root, { recursive: true }));
const breakColour = (files: Json): void => {
  specOf(files).colour.enum.pop();
};

check('without git looks at the releases alone, and says so', async ({ checkout }) => {
  const { status, stdout } = await checkout.check();
  assert.is(status, 0, stdout);
  assert.match(stdout, /Compared with no earlier state: this is no git repository with a commit\. Each release/);
  assert.match(stdout, /0 violations, 0 warnings, 0 excused/);
});
check('compares with the last tag of a release', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  checkout.git('tag', 'v1.0.0');
  checkout.write(breakColour);
  checkout.commit();
  checkout.git('tag', 'other');
  const { status, stdout } = await checkout.check();
  assert.is(status, 1);
  assert.match(
    stdout,
    /schemas\/toys\/v1\/openapi\.yaml:\d+: error CP115 \(rule 1\)\n {2}toys\/v1 ToySpec\.colour value Green: value is gone\n {2}was {2}one of the values\n {2}is {3}none of them\n {2}do {3}Leave/,
  );
  assert.match(stdout, /Compared with revision v1\.0\.0, the last tag\.\n(?:Conversions were not tried [^\n]*\n)?1 violation, 0 warnings/);
});
check('compares with where a branch left the main one', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  checkout.git('checkout', '-q', '-b', 'work');
  checkout.write(breakColour);
  checkout.commit();
  const { status, stdout } = await checkout.check();
  assert.is(status, 1);
  assert.match(stdout.replaceAll(/\s+/g, ' '), /Compared with revision [0-9a-f]{12}, where this branch left the main one: there is no tag/);
});
check('compares changes with the last commit, and a commit with the one before', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  checkout.write(breakColour);
  assert.match((await checkout.check()).stdout.replaceAll(/\s+/g, ' '), /1 violation|the last commit: there is no tag/);
  checkout.commit();
  const { status, stdout } = await checkout.check();
  assert.is(status, 1);
  assert.match(stdout.replaceAll(/\s+/g, ' '), /the commit before this one: there is no tag/);
});
check('takes a rule that moved to another file for the same rule', async ({ checkout }) => {
  const named =
    (rule: string) =>
    (files: Json): void => {
      specOf(files).plain['x-cluster-validations'] = [{ rule }];
    };
  checkout.git('init', '-q', '-b', 'main');
  checkout.write(named('toys/toy#isPlain'));
  checkout.commit();
  checkout.write(named('toys/parts/plain#isPlain'));
  const moved = await checkout.check();
  assert.is(moved.status, 0, moved.stdout);
  checkout.write(named('toys/toy#isSimple'));
  const other = await checkout.check();
  assert.is(other.status, 1);
  assert.match(other.stdout, /CP119 \(rule 1\)\n {2}toys\/v1 ToySpec\.plain/);
});
check('takes a revision or a folder', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  const earlier = mkdtempSync(path.join(tmpdir(), 'cluster-earlier-'));
  try {
    cpSync(path.join(checkout.root, 'schemas'), path.join(earlier, 'schemas'), { recursive: true });
    checkout.write(breakColour);
    checkout.commit();
    assert.is((await checkout.check('--against=HEAD')).status, 0);
    assert.is((await checkout.check('--against=HEAD~1')).status, 1);
    assert.is((await checkout.check(`--against=${earlier}`)).status, 1);
  } finally {
    rmSync(earlier, { recursive: true });
  }
});
check('prints JSON for programs', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  checkout.write(breakColour);
  const { status, stdout } = await checkout.check('--against=HEAD', '--json');
  assert.is(status, 1);
  const { against, release, findings } = JSON.parse(stdout);
  assert.equal([against, release], ['revision HEAD', '1.32']);
  assert.equal(
    findings.map(({ code, rule, severity, element, file, line, was, is, remedy }: Json) => ({
      code,
      rule,
      severity,
      element,
      file,
      was,
      is,
      placed: line > 1,
      remedied: remedy.length > 0,
    })),
    [
      {
        code: 'CP115',
        rule: '1',
        severity: 'error',
        element: 'toys/v1 ToySpec.colour value Green',
        file: 'schemas/toys/v1/openapi.yaml',
        was: 'one of the values',
        is: 'none of them',
        placed: true,
        remedied: true,
      },
    ],
  );
});
check('prints annotations for CI', async ({ checkout }) => {
  checkout.git('init', '-q', '-b', 'main');
  checkout.commit();
  checkout.write(breakColour);
  const { stdout } = await checkout.check('--against=HEAD', '--annotations');
  assert.match(
    stdout,
    /^::error file=schemas\/toys\/v1\/openapi\.yaml,line=\d+,title=CP115 \(rule 1\) value is gone::toys\/v1 ToySpec\.colour value Green: was one of the values; is none of them\. Leave/,
  );
});
check('refuses what it cannot compare with, and arguments that it does not take', async ({ checkout }) => {
  for (const [args, problem] of [
    [['--against=nowhere'], /nowhere is neither a folder that holds schemas\/ nor a revision/],
    [['--agianst=HEAD'], /agianst/],
    [['HEAD'], /unexpected argument HEAD/],
    [['--crd', 'one'], /--crd takes two files/],
  ] as const) {
    const { status, stderr } = await checkout.check(...args);
    assert.is(status, 2);
    assert.match(stderr, problem);
    assert.match(stderr, /usage: cluster-schema check/);
  }
});
check('says what is wrong with schemas that contradict each other', async ({ checkout }) => {
  checkout.write((files: Json) => (specOf(files).colour['x-cluster-alway'] = true));
  const { status, stderr } = await checkout.check();
  assert.is(status, 1);
  assert.match(stderr, /CS012 [\s\S]*cluster-schema verify has all that is wrong/);
});
check.run();
