/** The command line of `cluster-node-agent`: help, the printed configuration, and what stops a start. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programFile } from '../harness/programs.ts';
import { dropIn, settingsFiles } from '../node-agent/settings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'agent-command-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const entry = programFile('cluster-node-agent');
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', timeout: 30_000 });
  return { code: status, out: stdout, err: stderr };
}

const program = suite('cluster-node-agent');
program('--help says that it runs no pods, and shows flags in groups with their defaults and units', () => {
  const { code, out } = run('--help', '--dialect=kubernetes');
  assert.is(code, 0);
  assert.match(out, /It runs no pods/);
  for (const group of ['General:', 'Configuration:', 'Identity:', 'The node:', 'Serving:']) assert.ok(out.includes(`\n${group}\n`), group);
  assert.match(out, /--port INTEGER\n\s+Port for HTTPS\. \(port; 1 to 65535; default 10250; sets port\)/);
  assert.match(out, /--max-pods INTEGER\n\s+Pods on the node at most\. \(pods; at least 0; default 110; sets maxPods\)/);
  assert.match(out, /\n {6}NodeSwap=true\|false \(BETA - default=true\)\n/);
});
program('--print-config prints what comes of files and flags, and tells what was skipped', () => {
  const files = settingsFiles({ main: { maxPods: 3 }, dropIns: { '1.conf': dropIn({ maxPods: 4 }), 'notes.txt': '' } });
  const { code, out, err } = run(
    '--dialect=kubernetes',
    '--print-config',
    `--config=${files.file}`,
    `--config-dir=${files.folder}`,
    '--port=7',
  );
  assert.is(code, 0);
  assert.match(out, /^apiVersion: kubelet\.config\.k8s\.io\/v1beta1\nkind: KubeletConfiguration\n/);
  assert.match(out, /\nmaxPods: 4 # .*1\.conf\n/);
  assert.match(out, /\nport: 7 # --port\n/);
  assert.match(err, /notes\.txt is skipped: its name does not end in \.conf/);
});
const wrong: [name: string, args: string[], code: number, message: RegExp][] = [
  ['an unknown flag', ['--prot=1'], 2, /unknown flag: --prot \(did you mean --port\?\)/],
  ['a port out of range', ['--port=0'], 2, /invalid argument "0" for "--port" flag: 1 to 65535 is expected/],
  ['a name that is none', ['--hostname-override=a_b'], 2, /--hostname-override: "a_b" is no name of a node/],
  ['labels that nodes may not set', ['--node-labels=node-restriction.cluster.io/a=b'], 1, /--node-labels: .* may not be set/],
  ['an address that is none', ['--node-ip=ten'], 1, /--node-ip: "ten" is no IP address/],
  ['a file that is not there', ['--config=/nowhere/x'], 1, /\/nowhere\/x: there is no such file or folder/],
  ['a server that nobody names', ['--fail-swap-on=false', `--root-dir=${path.join(folder, 'alone')}`], 1, /needs the API server/],
  [
    'a bootstrap configuration without a place for another',
    ['--fail-swap-on=false', `--root-dir=${path.join(folder, 'join')}`, '--bootstrap-kubeconfig=x'],
    1,
    /--bootstrap-kubeconfig needs --kubeconfig/,
  ],
  [
    'more reserved than there is',
    ['--fail-swap-on=false', `--root-dir=${path.join(folder, 'reserved')}`, '--system-reserved=cpu=100000'],
    1,
    /--system-reserved|Resource "cpu" has a reservation of 100k/,
  ],
];
for (const [name, args, code, message] of wrong)
  program(`does not start with ${name}`, () => {
    const ended = run(...args);
    assert.match(ended.err, message);
    assert.is(ended.code, code);
  });
program.run();
