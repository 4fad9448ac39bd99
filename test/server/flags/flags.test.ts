import { globSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { FlagData, FlagsData } from '../../../runtime/server/flags/flag-data.ts';
import { parseFlags, requireGatesOfFlags } from '../../../runtime/server/flags/flags.ts';
import { flagsHelp } from '../../../runtime/server/flags/flags-help.ts';

const row = { group: 'general', status: 'effective', help: 'Does something.' } as const;
const data = {
  groups: { general: 'General', storage: 'Storage' },
  flags: [
    { ...row, name: 'secure-port', type: 'integer', default: 6443, unit: 'port', minimum: 0, maximum: 65_535 },
    { ...row, name: 'goaway-chance', type: 'number', default: 0, maximum: 0.02 },
    { ...row, name: 'profiling', type: 'boolean', default: true },
    { ...row, name: 'anonymous-auth', type: 'boolean' },
    { ...row, name: 'dialect', type: 'string', values: ['cluster', 'kubernetes'], default: 'cluster' },
    { ...row, name: 'cert-dir', type: 'string' },
    { ...row, name: 'media-type', type: 'string', default: 'application/vnd.${mediaProduct}.protobuf' },
    { ...row, name: 'request-timeout', type: 'duration', default: '1m0s', minimum: '1ms' },
    { ...row, name: 'history-max-bytes', group: 'storage', type: 'bytes', default: '1Gi' },
    { ...row, name: 'authorization-mode', type: 'strings', default: ['Node', 'RBAC'] },
    { ...row, name: 'tls-sni-cert-key', type: 'lines' },
    { ...row, name: 'runtime-config', type: 'map', bareKeys: true },
    { ...row, name: 'required-claim', type: 'map' },
    { ...row, name: 'claim', type: 'map', commas: 'kept' },
    { ...row, name: 'range', type: 'strings', default: ['10.0.0.0/24'], repeated: 'last' },
    {
      ...row,
      name: 'older-timeout',
      type: 'duration',
      sets: 'request-timeout',
      deprecated: { release: '1.20', warning: 'use the other.' },
    },
    { ...row, name: 'v', short: 'v', type: 'integer', default: 0 },
    { ...row, name: 'watch-cache', type: 'boolean', default: true, status: 'accepted' },
    { ...row, name: 'watch-cache-sizes', type: 'strings', needs: 'cert-dir' },
    { ...row, name: 'apiserver-count', type: 'integer', deprecated: { release: '1.24', warning: 'apiserver-count is deprecated.' } },
    { ...row, name: 'signer', type: 'string', featureGate: 'Signers' },
    { ...row, name: 'signer-headers', type: 'strings', featureGate: 'SignerHeaders' },
    { ...row, name: 'cloud-config', type: 'string', status: 'accepted', deprecated: { release: '1.29' } },
  ],
} as const satisfies FlagsData;
const identity = createIdentity({ names: { mediaProduct: { cluster: 'cluster', kubernetes: 'kubernetes' } }, behaviour: {} }, 'cluster');

const read = suite('a command line');
type Name = (typeof data)['flags'][number]['name'];
const cases: [argv: string, name: Name, value: unknown][] = [
  ['', 'secure-port', 6443],
  ['--secure-port=0', 'secure-port', 0],
  ['--secure-port 7443', 'secure-port', 7443],
  ['--secure_port=7443', 'secure-port', 7443],
  ['--secure-port=1 --secure-port=2', 'secure-port', 2],
  ['--goaway-chance=.001', 'goaway-chance', 0.001],
  ['', 'profiling', true],
  ['--profiling=false', 'profiling', false],
  ['', 'anonymous-auth', false],
  ['--anonymous-auth', 'anonymous-auth', true],
  ['--anonymous-auth=F', 'anonymous-auth', false],
  ['--dialect=kubernetes', 'dialect', 'kubernetes'],
  ['', 'cert-dir', ''],
  ['--cert-dir=a=b', 'cert-dir', 'a=b'],
  ['--cert-dir=', 'cert-dir', ''],
  ['', 'media-type', 'application/vnd.cluster.protobuf'],
  ['', 'request-timeout', 60_000],
  ['--request-timeout=1h0m0.5s', 'request-timeout', 3_600_500],
  ['', 'history-max-bytes', 2 ** 30],
  ['--history-max-bytes=1.5Ki', 'history-max-bytes', 1_536],
  ['--history-max-bytes=20', 'history-max-bytes', 20],
  ['', 'authorization-mode', ['Node', 'RBAC']],
  ['--authorization-mode=RBAC', 'authorization-mode', ['RBAC']],
  ['--authorization-mode=RBAC,Node --authorization-mode=ABAC', 'authorization-mode', ['RBAC', 'Node', 'ABAC']],
  ['--tls-sni-cert-key=a,b --tls-sni-cert-key=c,d', 'tls-sni-cert-key', ['a,b', 'c,d']],
  ['', 'runtime-config', {}],
  [
    '--runtime-config=api/all=false,apps/v1 --runtime-config=batch/v1=true',
    'runtime-config',
    { 'api/all': 'false', 'apps/v1': '', 'batch/v1': 'true' },
  ],
  ['--required-claim=a=b,c=', 'required-claim', { a: 'b', c: '' }],
  ['--claim=a=b,c=d --claim=e=f', 'claim', { a: 'b,c=d', e: 'f' }],
  ['--range=a,b --range=c', 'range', ['c']],
  ['--range=a --range=', 'range', ['10.0.0.0/24']],
  // lists are records of comma-separated values, of which nothing is cut
  ['--authorization-mode="//a{1,2}$",b', 'authorization-mode', ['//a{1,2}$', 'b']],
  ['--authorization-mode=a,,b,', 'authorization-mode', ['a', '', 'b', '']],
  ['--authorization-mode= --authorization-mode=b', 'authorization-mode', ['b']],
  // integers are written as in Go
  ['--secure-port=0x1F', 'secure-port', 31],
  ['--secure-port=010', 'secure-port', 8],
  ['--secure-port=0o17', 'secure-port', 15],
  ['--secure-port=0b1_1', 'secure-port', 3],
  ['--secure-port=1_000', 'secure-port', 1_000],
  ['--secure-port=+5', 'secure-port', 5],
  ['--apiserver-count=9223372036854775807', 'apiserver-count', 2 ** 63],
  ['--apiserver-count=-0x10', 'apiserver-count', -16],
  ['--older-timeout=2s', 'request-timeout', 2_000],
  ['--older-timeout=2s --request-timeout=3s', 'request-timeout', 3_000],
  ['--request-timeout=3s --older-timeout=2s', 'request-timeout', 2_000],
  ['--secure-port=1 --', 'secure-port', 1],
  ['-v2', 'v', 2],
  ['-v=3', 'v', 3],
  ['-v 4', 'v', 4],
  ['--v=5', 'v', 5],
];
for (const [argv, name, value] of cases)
  read(`${argv || 'without flags'}: ${name}`, () => {
    assert.equal(parseFlags(argv.split(' ').filter(Boolean), data, identity).values[name], value);
  });
read('says which flags were given', () => assert.equal([...parseFlags(['-v2', '--profiling'], data, identity).given], ['v', 'profiling']));
read('takes operands that are empty, and those behind two hyphens', () => {
  assert.equal(parseFlags(['', '--profiling'], data, identity).operands, ['']);
  assert.equal(parseFlags(['a', '--', '--profiling', '-'], data, identity, true).operands, ['a', '--profiling', '-']);
});
read('keeps blanks of lists', () =>
  assert.equal(parseFlags(['--authorization-mode=a, b'], data, identity).values['authorization-mode'], ['a', ' b']),
);
read('tells of the older name of a flag', () => {
  const { deprecations, given } = parseFlags(['--older-timeout=1s'], data, identity);
  assert.equal(deprecations, ['Flag --older-timeout has been deprecated, use the other.']);
  assert.ok(given.has('request-timeout'));
});
read('warns of flags without effect', () =>
  assert.equal(parseFlags(['--watch-cache=false'], data, identity).warnings, ['--watch-cache has no effect yet']),
);
read('warns of a flag that has no effect without another one', () => {
  const warnings = (...argv: string[]) => parseFlags(argv, data, identity).warnings;
  assert.equal(warnings('--watch-cache-sizes=a'), ['--watch-cache-sizes has no effect without --cert-dir']);
  assert.equal(warnings('--watch-cache-sizes=a', '--cert-dir=b'), []);
  assert.equal(warnings(), []);
});
read('tells of flags that go, in the words of kube-apiserver', () => {
  const { warnings, deprecations } = parseFlags(['--cloud-config=', '--apiserver-count=2', '-v2'], data, identity);
  assert.equal(deprecations, [
    'Flag --apiserver-count has been deprecated, apiserver-count is deprecated.',
    'Flag --cloud-config has been deprecated, it will be removed',
  ]);
  assert.equal(warnings, ['--cloud-config has no effect']);
  assert.equal(parseFlags(['-v2'], data, identity).deprecations, []);
});
const gates: [argv: string, on: string[], refused?: string][] = [
  ['', []],
  ['--signer= --signer-headers=', []],
  ['--signer=a', ['Signers']],
  ['--signer=a', ['SignerHeaders'], '--signer requires Signers feature to be turned on: --feature-gates=Signers=true'],
  [
    '--signer-headers=a',
    ['Signers'],
    '--signer-headers requires SignerHeaders feature to be turned on: --feature-gates=SignerHeaders=true',
  ],
];
for (const [argv, on, refused] of gates)
  read(`${argv || 'without flags'}: ${refused === undefined ? 'may be' : 'may not be'} while ${on.join() || 'no gate'} is on`, () => {
    const { gated } = parseFlags(argv.split(' ').filter(Boolean), data, identity);
    const require = () => requireGatesOfFlags(gated, (gate) => on.includes(gate));
    if (refused === undefined) require();
    else assert.throws(require, (error: Error) => error.message === refused);
  });
read('has the types of its flags', () => {
  const { values } = parseFlags([], data, identity);
  const typed: [number, boolean, 'cluster' | 'kubernetes', readonly string[], Readonly<Record<string, string>>] = [
    values['secure-port'],
    values.profiling,
    values.dialect,
    values['authorization-mode'],
    values['runtime-config'],
  ];
  assert.is(typed.length, 5);
});
read.run();

const refused = suite('a command line is refused');
const wrong: [argv: string, message: string][] = [
  ['--secure-prot=1', 'unknown flag: --secure-prot (did you mean --secure-port?)'],
  ['--secure-port-x-y-z=1', 'unknown flag: --secure-port-x-y-z'],
  ['--something-else', 'unknown flag: --something-else'],
  ['-x', "unknown shorthand flag: 'x' in -x"],
  ['--=1', 'bad flag syntax: --=1'],
  ['---secure-port=1', 'bad flag syntax: ---secure-port=1'],
  ['-- --secure-port=x', 'unexpected argument "--secure-port=x": only flags are taken'],
  ['--secure-port', 'flag needs an argument: --secure-port'],
  ['-v', "flag needs an argument: 'v' in -v"],
  // each value that is given must be one, not only the last
  ['--secure-port=x --secure-port=1', 'invalid argument "x" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=08', 'invalid argument "08" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=1__0', 'invalid argument "1__0" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=0x', 'invalid argument "0x" for "--secure-port" flag: an integer is expected'],
  ['--apiserver-count=9223372036854775808', 'invalid argument "9223372036854775808" for "--apiserver-count" flag: an integer is expected'],
  [
    '--authorization-mode=a"b',
    'invalid argument "a\\"b" for "--authorization-mode" flag: a quote stands where none may be, or text follows a quoted column',
  ],
  ['--older-timeout=x', 'invalid argument "x" for "--older-timeout" flag: a duration such as 300ms or 1m30s is expected'],
  ['--secure-port=abc', 'invalid argument "abc" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=1.5', 'invalid argument "1.5" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=', 'invalid argument "" for "--secure-port" flag: an integer is expected'],
  ['--secure-port=-1', 'invalid argument "-1" for "--secure-port" flag: 0 to 65535 is expected'],
  ['--secure-port=65536', 'invalid argument "65536" for "--secure-port" flag: 0 to 65535 is expected'],
  ['--goaway-chance=0.021', 'invalid argument "0.021" for "--goaway-chance" flag: at most 0.02 is expected'],
  ['--request-timeout=-5s', 'invalid argument "-5s" for "--request-timeout" flag: at least 1ms is expected'],
  ['--goaway-chance=x', 'invalid argument "x" for "--goaway-chance" flag: a number is expected'],
  ['--profiling=perhaps', 'invalid argument "perhaps" for "--profiling" flag: true or false is expected'],
  ['--dialect=other', 'invalid argument "other" for "--dialect" flag: one of cluster, kubernetes is expected'],
  ['--request-timeout=5', 'invalid argument "5" for "--request-timeout" flag: a duration such as 300ms or 1m30s is expected'],
  [
    '--history-max-bytes=1x',
    'invalid argument "1x" for "--history-max-bytes" flag: a number of bytes such as 1000000, 512Mi or 1Gi is expected',
  ],
  ['--required-claim=a', 'invalid argument "a" for "--required-claim" flag: key=value is expected'],
  ['--runtime-config==x', 'invalid argument "=x" for "--runtime-config" flag: key=value is expected'],
  ['--profiling false', 'unexpected argument "false": only flags are taken'],
];
for (const [argv, message] of wrong)
  refused(argv, () => {
    assert.throws(
      () => parseFlags(argv.split(' '), data, identity),
      (error: Error) => error.message === message,
    );
  });
refused.run();

const help = suite('help');
help('shows groups, defaults, units and what has no effect', () => {
  const text = flagsHelp('server', 'Serves.', data, identity);
  assert.match(
    text,
    /^Usage: server \[FLAGS\]\n\nServes\.\n\nGeneral:\n\n {2}--secure-port INTEGER\n {6}Does something\. \(port; 0 to 65535; default 6443\)\n/,
  );
  assert.match(text, '  -v INTEGER');
  assert.match(text, '(no effect yet)'.replace('(', '(default true; '));
  assert.match(text, 'vnd.cluster.protobuf');
  assert.match(text, '(needs --cert-dir)');
  assert.ok(text.indexOf('Storage:') > text.indexOf('--watch-cache'));
});
help('does not show flags that go', () => assert.not.match(flagsHelp('server', 'Serves.', data, identity), 'apiserver-count'));
help('shows options of a flag behind what it says of it', () => {
  const text = flagsHelp('server', 'Serves.', data, identity, {
    options: { 'runtime-config': ['a long line of one option', 'b'] },
    width: 20,
  });
  assert.match(text, /\n {2}--runtime-config KEY=VALUE,…\n {6}Does\n {6}something\.\n {6}a long line of one option\n {6}b\n/);
});
help('says once from where to where a number goes', () => {
  const chance = { ...row, name: 'chance', type: 'number', unit: 'probability, 0 to 1', minimum: 0, maximum: 1 } as const;
  const text = flagsHelp('server', 'Serves.', { groups: data.groups, flags: [chance] }, identity);
  assert.match(text, /\(probability, 0 to 1\)/);
});
help('keeps within the width', () => {
  for (const line of flagsHelp('server', 'Serves. '.repeat(30), data, identity, { width: 40 }).split('\n'))
    assert.ok(line.length <= 40, line);
});
help.run();

const file = suite('schemas/flags.yaml');
const stated = parse(readFileSync('schemas/flags.yaml', 'utf8')) as FlagsData;
const DIALECTS = (['cluster', 'kubernetes'] as const).map((dialect) => createIdentity(identityData, dialect));
file('has defaults that are values', () => {
  for (const each of DIALECTS) parseFlags([], stated, each);
  for (const flag of stated.flags) {
    if (['integer', 'number', 'duration', 'bytes'].includes(flag.type))
      assert.ok(flag.default !== undefined, `--${flag.name} states its default`);
    assert.match(flag.help.trim(), /[.]$/, flag.name);
  }
});
file('has the grace period of nodes of the specification and of 1.32', () => {
  const periods = DIALECTS.map((each) => (parseFlags([], stated, each).values as Record<string, unknown>)['node-monitor-grace-period']);
  assert.equal(periods, [40_000, 50_000]);
});
file('calls a flag effective when the server reads it, and only then', () => {
  const source = globSync('runtime/{assembly,main,server,audit,authentication,authorization,relay}/**/*.ts')
    .filter((name) => !name.endsWith('main/node-agent.ts'))
    .map((name) => readFileSync(name, 'utf8'))
    .join('\n');
  const isRead = ({ name }: FlagData) => new RegExp(`flags\\.${name}\\b|values\\.${name}\\b|'${name}'`).test(source);
  const wrong = stated.flags.filter((flag) => (flag.sets !== undefined || isRead(flag)) !== (flag.status === 'effective'));
  assert.equal(
    wrong.map(({ name, status }) => `${name} is not ${status}`),
    [],
  );
});
file.run();
