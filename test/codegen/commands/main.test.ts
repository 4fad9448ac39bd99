import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const main = suite('cluster-schema');
const rows: [name: string, args: string[], status: number, stream: 'stdout' | 'stderr'][] = [
  ['says how it is used when it is asked', ['--help'], 0, 'stdout'],
  ['says so of a command as well, and does not run it', ['generate', '--help'], 0, 'stdout'],
  ['refuses a command that it does not have', ['generte'], 2, 'stderr'],
  ['refuses to run without one', [], 2, 'stderr'],
  ['refuses arguments that a command does not take', ['verify', 'apps/v1'], 2, 'stderr'],
];
for (const [name, args, status, stream] of rows)
  main(name, () => {
    const run = spawnSync(process.execPath, ['codegen/main.ts', ...args], { encoding: 'utf8' });
    assert.is(run.status, status);
    assert.match(
      run[stream],
      /^usage: cluster-schema COMMAND\n\n {2}generate +writes [\s\S]*\n {2}verify +fails [\s\S]*\n {2}client +writes /,
    );
    assert.is(run[stream === 'stdout' ? 'stderr' : 'stdout'], '');
  });
main.run();
