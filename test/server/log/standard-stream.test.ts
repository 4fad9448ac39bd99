/** The stream of the log where nothing takes its lines: a process of its own, whose standard error is full. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('standard stream');
const MODULE = new URL('../../../runtime/server/log/standard-stream.ts', import.meta.url).href;
/** Says what is wrong before a line, behind it, and when two minutes have passed since. */
const PROGRAM = `
  import { standardStream } from '${MODULE}';
  let now = 1_000;
  performance.now = () => now;
  const stream = standardStream(2);
  const told = [stream.problem()];
  stream.write('a line\\n');
  for (const passed of [0, 119_999, 1]) {
    now += passed;
    told.push(stream.problem());
  }
  console.log(JSON.stringify(told.map((each) => each ?? 'none')));
`;

function problemsOn(file: string): unknown {
  const descriptor = openSync(file, 'w');
  try {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: ['ignore', 'pipe', descriptor] });
    return JSON.parse(stdout.toString());
  } finally {
    closeSync(descriptor);
  }
}

test('lines that have waited for two minutes mean that the log is blocked', () => {
  assert.equal(problemsOn('/dev/full'), ['none', 'none', 'none', 'logging blocked']);
});
test('lines that are written mean none', () => {
  assert.equal(problemsOn('/dev/null'), ['none', 'none', 'none', 'none']);
});
test.run();
