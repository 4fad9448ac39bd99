import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsPage, statusPage } from '../../runtime/server/component-pages.ts';
import type { FlagsData } from '../../runtime/server/flags/flag-data.ts';

const test = suite('pages about a component');
const HEAD =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n\n';
const flag = (name: string, type: FlagsData['flags'][number]['type']) =>
  ({ name, type, group: 'x', status: 'effective', help: 'x' }) as const;
const FLAGS: FlagsData = {
  groups: { x: 'X' },
  flags: [
    flag('wait', 'duration'),
    flag('allow', 'boolean'),
    flag('names', 'strings'),
    flag('gates', 'map'),
    flag('port', 'integer'),
    flag('file', 'string'),
  ],
};

test('show all flags by name, with values as Go shows them', () => {
  const values = { wait: 90_000.5, allow: true, names: ['b', 'a'], gates: { B: 'false', A: 'true' }, port: 6443 };
  assert.is(
    flagsPage('apiserver', FLAGS, values, () => 0.5),
    `\napiserver flags\n${HEAD}allow=true\nfile=\ngates=A=true,B=false\nnames=[b,a]\nport=6443\nwait=1m30.0005s\n`,
  );
});

for (const [pick, line] of [
  [0, 'port:1'],
  [0.25, 'port: 1'],
  [0.5, 'port=1'],
  [0.99, 'port 1'],
] as const)
  test(`change what stands between names and values: ${line}`, () => {
    assert.match(
      flagsPage('x', { ...FLAGS, flags: [flag('port', 'integer')] }, { port: 1 }, () => pick),
      `\n${line}\n`,
    );
  });

test('show since when it runs, and what it is', () => {
  const status = {
    started: Date.UTC(2026, 0, 2, 3, 4, 5),
    up: (25 * 3_600 + 61) * 1_000 + 999,
    nodeVersion: 'v26',
    programVersion: '0.1.0',
    release: '1.32',
    oldestRelease: '1.16',
    endpoints: { healthz: '', 'sli metrics': '/metrics/slis' },
  };
  assert.is(
    statusPage('apiserver', status),
    `\napiserver statusz\n${HEAD}Started: Fri, 02 Jan 2026 03:04:05 GMT\nUp: 25 hr 01 min 01 sec\nNode version: v26\nBinary version: 0.1.0\n` +
      'Emulation version: 1.32\nMinimum Compatibility version: 1.16\n\nList of useful endpoints\n--------------\nhealthz\nsli metrics: /metrics/slis\n',
  );
});

test.run();
