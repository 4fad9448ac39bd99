import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModuleFilter, parseModuleLevels } from '../../runtime/observability/log-levels.ts';

const parsing = suite('levels of files');
parsing('are read of a list, in its order', () => {
  assert.equal(parseModuleLevels(['a=1', '', 'b/*=2']), [
    { pattern: 'a', verbosity: 1 },
    { pattern: 'b/*', verbosity: 2 },
  ]);
  assert.equal(parseModuleLevels([]), []);
});
const wrong: [item: string, problem: string][] = [
  ['a', '"a" does not have the pattern=N format'],
  ['a=', '"a=" does not have the pattern=N format'],
  ['=1', '"=1" does not have the pattern=N format'],
  ['a=1=1', '"a=1=1" does not have the pattern=N format'],
  ['a=x', 'parsing verbosity in "a=x": a whole number up to 2147483647 is needed'],
  ['a=2147483648', 'parsing verbosity in "a=2147483648": a whole number up to 2147483647 is needed'],
  ['[a=1', 'syntax error in pattern "[a"'],
  ['a\\=1', 'syntax error in pattern "a\\\\"'],
  ['[]=1', 'syntax error in pattern "[]"'],
];
for (const [item, problem] of wrong)
  parsing(`are refused: ${item}`, () =>
    assert.throws(
      () => parseModuleLevels([item]),
      (error: Error) => error.message === problem,
    ),
  );
parsing.run();

const matching = suite('patterns of files');
const FILE = 'file:///srv/runtime/audit/log-backend.ts';
const rows: [pattern: string, fits: boolean][] = [
  ['log-backend', true],
  ['log', false],
  ['backend', false],
  ['log-*', true],
  ['*', true],
  ['**', true],
  ['*-*-*', false],
  ['l?g-backend', true],
  ['log-backen?', true],
  ['log-backend?', false],
  ['[a-m]og-backend', true],
  ['[^a-m]og-backend', false],
  ['[^x]og-backend', true],
  ['\\log-backend', true],
  ['log\\-backend', true],
  ['log\\*', false],
  ['audit/log-backend', true],
  ['audit/*', true],
  ['*/log-backend', true],
  ['*/*/log-backend', true],
  ['runtime/*', false],
  ['server/*', false],
  ['log-backend.ts', false],
];
for (const [pattern, fits] of rows)
  matching(`${pattern} ${fits ? 'fits' : 'does not fit'}`, () =>
    assert.is(new ModuleFilter([{ pattern, verbosity: 4 }]).of(FILE), fits ? 4 : 0),
  );
matching('the first one that fits counts', () => {
  const filter = new ModuleFilter(parseModuleLevels(['log=1', 'log-*=2', '*=3']));
  assert.equal(
    [FILE, '/x/log.js', 'other', ''].map((file) => filter.of(file)),
    [2, 1, 3, 3],
  );
});
matching('time does not explode with asterisks', () => {
  const filter = new ModuleFilter([{ pattern: `${'a*'.repeat(2_000)}b`, verbosity: 1 }]);
  assert.is(filter.of('a'.repeat(10_000)), 0);
});
matching.run();
