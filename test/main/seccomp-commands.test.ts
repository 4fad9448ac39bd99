/** `cluster-node-agent check-profile` and `explain-pod`. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programFile, projectRoot } from '../harness/programs.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'seccomp-commands-'));
mkdirSync(path.join(folder, 'seccomp'));
const file = (name: string, content: string): string => {
  const place = path.join(folder, name);
  writeFileSync(place, content);
  return place;
};
const valid = file('seccomp/valid.json', '{"defaultAction":"SCMP_ACT_LOG","comment":"x"}');
const wrong = file('seccomp/wrong.json', '{"defaultAction":"SCMP_ACT_NOTIFY"}');
const pod = (name: string, spec: string): string =>
  file(
    name,
    `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec:\n  initContainers: [ { name: setup, image: a } ]\n  containers:\n  - name: web\n    image: a\n${spec}`,
  );

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

async function run(command: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [programFile('cluster-node-agent'), command, ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, errors };
}

const commands = suite('commands for seccomp profiles');
commands.after(() => rmSync(folder, { recursive: true }));
commands('check-profile says what is wrong with each file', async () => {
  const { code, out } = await run('check-profile', valid, wrong, `${folder}/none.json`);
  const [warning, fine, problem, unread, ...rest] = out.split('\n');
  assert.is(warning, `${valid}: warning: comment: runtimes have no such member and pass over it`);
  assert.is(fine, `${valid}: valid`);
  assert.match(problem as string, /wrong\.json: defaultAction: Invalid value: "SCMP_ACT_NOTIFY"/);
  assert.match(unread as string, /none\.json: there is no such file or folder/);
  assert.equal(rest, ['']);
  assert.is(code, 1);
});
commands('check-profile ends with 0 where all are valid, and 2 without a file', async () => {
  assert.is((await run('check-profile', valid)).code, 0);
  const { code, errors } = await run('check-profile');
  assert.equal([code, errors], [2, 'cluster-node-agent check-profile: no file is named\n']);
  assert.match((await run('check-profile', '--help')).out, /^Usage: cluster-node-agent check-profile \[FLAGS\] FILE …\n/);
});
commands('explain-pod shows the profile of each container', async () => {
  const manifest = pod('pod.yaml', '    securityContext: { seccompProfile: { type: Localhost, localhostProfile: valid.json } }\n');
  const { code, out } = await run('explain-pod', manifest, `--root-dir=${folder}`, '--seccomp-default');
  assert.equal(
    out.split('\n').map((line) => line.split(/ {3,}/)),
    [
      ['CONTAINER', 'PROFILE', 'FROM', 'STATE'],
      ['setup (init)', 'RuntimeDefault', '--seccomp-default', 'ok'],
      ['web', `Localhost ${valid}`, 'spec.containers[0].securityContext.seccompProfile', 'ok'],
      [''],
    ],
  );
  assert.is(code, 0);
});
commands('explain-pod says that a container cannot be created', async () => {
  const manifest = pod('missing.yaml', '    securityContext: { seccompProfile: { type: Localhost, localhostProfile: none.json } }\n');
  const { code, out } = await run('explain-pod', manifest, `--root-dir=${folder}`);
  assert.match(out, /^setup \(init\) +Unconfined +default +ok$/m);
  assert.match(
    out,
    /^web .* CreateContainerError: cannot load seccomp profile ".*\/seccomp\/none\.json": there is no such file or folder/m,
  );
  assert.is(code, 1);
});
const refused: [name: string, content: string, message: RegExp][] = [
  ['another kind', 'apiVersion: v1\nkind: Service\n', /it holds Service of v1, expected is Pod of v1/],
  ['a member that pods do not have', 'apiVersion: v1\nkind: Pod\nspec: { seccomp: {} }\n', /unknown field "spec\.seccomp"/],
  ['a value of another type', 'apiVersion: v1\nkind: Pod\nspec: { containers: 1 }\n', /containers/],
  ['several pods', 'apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n', /several documents/],
];
for (const [name, content, message] of refused)
  commands(`explain-pod refuses ${name}`, async () => {
    const { code, errors } = await run('explain-pod', file('refused.yaml', content));
    assert.is(code, 1);
    assert.match(errors, message);
  });
commands.run();
