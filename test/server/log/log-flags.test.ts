/** Where the log goes, as flags say it, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { projectRoot } from '../../harness/programs.ts';

const test = suite('flags of the log');

/** @returns the messages on the standard output and on the standard error */
function written(flags: object): readonly [output: readonly string[], error: readonly string[]] {
  const all = { v: 1, vmodule: [], 'logging-format': 'text', 'log-json-split-stream': false, 'log-text-split-stream': false, ...flags };
  const program = `
    import { createLog } from './runtime/server/log/log.ts';
    import { logOptions } from './runtime/server/log/log-flags.ts';
    const log = createLog(logOptions(${JSON.stringify(all)}));
    for (const level of ['debug', 'info', 'warn', 'error']) log[level]({}, level + '!');`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  assert.is(status, 0, stderr);
  const messages = (text: string): string[] => text.match(/\w+!/g) ?? [];
  return [messages(stdout), messages(stderr)];
}

const rows: [name: string, flags: object, output: string[], error: string[]][] = [
  ['all of it on the standard error', {}, [], ['info!', 'warn!', 'error!']],
  ['all but errors on the standard output', { 'log-text-split-stream': true }, ['info!', 'warn!'], ['error!']],
  ['a flag of another form', { 'log-json-split-stream': true }, [], ['info!', 'warn!', 'error!']],
  ['the same in JSON', { 'logging-format': 'json', 'log-json-split-stream': true }, ['info!', 'warn!'], ['error!']],
];
for (const [name, flags, output, error] of rows) test(name, () => assert.equal(written(flags), [output, error]));
test.run();
