import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FORK_OPTIONS, optionProblem } from '../../runtime/embedded/option-problem.ts';

const test = suite('options of an embedded server');

const right: readonly object[] = [
  {},
  { dialect: 'kubernetes', port: 0, store: 'memory', flags: { v: 1 }, definitions: [{}], log: false },
  { store: { directory: '/tmp/x' }, port: 65_535, log: process.stderr, dialect: undefined },
];
for (const options of right) test(`may be ${JSON.stringify(Object.keys(options))}`, () => assert.is(optionProblem(options), undefined));

const STORE = "the option `store` is wrong: 'memory' or { directory: PATH } is expected";
const PORT = 'the option `port` is wrong: an integer from 0 to 65535 is expected';
const wrong: readonly (readonly [name: string, options: unknown, problem: string])[] = [
  ['null', null, 'options are an object, such as { port: 0 }, not null'],
  ['a text', 'kubernetes', 'options are an object, such as { port: 0 }, not "kubernetes"'],
  ['an option that is none', { flag: {} }, 'there is no option `flag`: options are definitions, dialect, flags, log, port, store'],
  ['a store of a word', { store: 'disk' }, STORE],
  ['a store without its folder', { store: { dir: '/tmp/x' } }, STORE],
  ['a store in a folder without a name', { store: { directory: '' } }, STORE],
  ['a port that is too large', { port: 65_536 }, PORT],
  ['a port below 0', { port: -1 }, PORT],
  ['a port as a text', { port: '80' }, PORT],
  ['flags as arguments', { flags: ['--v=1'] }, 'the option `flags` is wrong: an object whose members are flags is expected'],
  ['a definition that is none', { definitions: ['crd.yaml'] }, 'the option `definitions` is wrong: a list of objects is expected'],
  ['a log of a word', { log: 'x' }, 'the option `log` is wrong: false or an object with the method `write` is expected'],
];
for (const [name, options, problem] of wrong) test(`are not ${name}`, () => assert.is(optionProblem(options), problem));

test('of a fork are fewer', () =>
  assert.is(optionProblem({ flags: {} }, FORK_OPTIONS), 'there is no option `flags`: options are log, port, store'));

test.run();
