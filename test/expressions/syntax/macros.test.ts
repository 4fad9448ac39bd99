import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SyntaxErrors } from '../../../runtime/expressions/syntax/finding.ts';
import { MacroTable } from '../../../runtime/expressions/syntax/macro-table.ts';
import type { Node } from '../../../runtime/expressions/syntax/node.ts';
import { parse } from '../../../runtime/expressions/syntax/parser.ts';
import { STANDARD_MACROS } from '../../../runtime/expressions/syntax/standard-macros.ts';
import { BLOCK_MACROS } from '../block-macros.ts';
import { debugText } from './debug-text.ts';
import { ALL_SYNTAX } from './environment.ts';

/** A tree in one line; two variables of a comprehension are joined. */
function line(node: Node): string {
  if (node.kind === 'call')
    return `${node.target === undefined ? '' : `${line(node.target)}.`}${node.function}(${node.args.map(line).join(', ')})`;
  if (node.kind === 'list') return `[${node.elements.map(({ value }) => line(value)).join(', ')}]`;
  if (node.kind !== 'comprehension')
    return debugText(node)
      .replaceAll(/\^#[^#]*#/g, '')
      .replaceAll(/\n\s*/g, '');
  const { range, variable, second, accumulator, initial, condition, step, result } = node;
  const variables = second === undefined ? variable : `${variable},${second}`;
  return `fold(${variables} in ${line(range)}; ${accumulator} = ${line(initial)}; ${line(condition)}; ${line(step)}; ${line(result)})`;
}

const expansions = suite('expansions of macros');
for (const [source, expected] of [
  ['has(a.b.c)', 'a.b.c~test-only~'],
  ['l.all(x, p)', 'fold(x in l; @result = true; @not_strictly_false(@result); _&&_(@result, p); @result)'],
  ['l.exists(x, p)', 'fold(x in l; @result = false; @not_strictly_false(!_(@result)); _||_(@result, p); @result)'],
  ['l.exists_one(x, p)', 'fold(x in l; @result = 0; true; _?_:_(p, _+_(@result, 1), @result); _==_(@result, 1))'],
  ['l.existsOne(x, p)', 'l.existsOne(x, p)'],
  ['l.map(x, f)', 'fold(x in l; @result = []; true; _+_(@result, [f]); @result)'],
  ['l.map(x, p, f)', 'fold(x in l; @result = []; true; _?_:_(p, _+_(@result, [f]), @result); @result)'],
  ['l.filter(x, p)', 'fold(x in l; @result = []; true; _?_:_(p, _+_(@result, [x]), @result); @result)'],
  ['l.all(i, x, p)', 'fold(i,x in l; @result = true; @not_strictly_false(@result); _&&_(@result, p); @result)'],
  ['l.exists(i, x, p)', 'fold(i,x in l; @result = false; @not_strictly_false(!_(@result)); _||_(@result, p); @result)'],
  ['l.existsOne(i, x, p)', 'fold(i,x in l; @result = 0; true; _?_:_(p, _+_(@result, 1), @result); _==_(@result, 1))'],
  ['l.exists_one(i, x, p)', 'fold(i,x in l; @result = 0; true; _?_:_(p, _+_(@result, 1), @result); _==_(@result, 1))'],
  ['l.transformList(i, x, f)', 'fold(i,x in l; @result = []; true; _+_(@result, [f]); @result)'],
  ['l.transformList(i, x, p, f)', 'fold(i,x in l; @result = []; true; _?_:_(p, _+_(@result, [f]), @result); @result)'],
  ['m.transformMap(k, v, f)', 'fold(k,v in m; @result = {}; true; cel.@mapInsert(@result, k, f); @result)'],
  ['m.transformMap(k, v, p, f)', 'fold(k,v in m; @result = {}; true; _?_:_(p, cel.@mapInsert(@result, k, f), @result); @result)'],
  ['m.transformMapEntry(k, v, e)', 'fold(k,v in m; @result = {}; true; cel.@mapInsert(@result, e); @result)'],
  ['m.transformMapEntry(k, v, p, e)', 'fold(k,v in m; @result = {}; true; _?_:_(p, cel.@mapInsert(@result, e), @result); @result)'],
  ['o.optMap(x, f)', '_?_:_(o.hasValue(), optional.of(fold(#unused in []; x = o.value(); false; x; f)), optional.none())'],
  ['o.optFlatMap(x, f)', '_?_:_(o.hasValue(), fold(#unused in []; x = o.value(); false; x; f), optional.none())'],
  ['cel.bind(x, v, f)', 'fold(#unused in []; x = v; false; x; f)'],
  ['other.bind(x, v, f)', 'other.bind(x, v, f)'],
  ['all(l, x, p)', 'all(l, x, p)'],
  ['l.has(a.b)', 'l.has(a.b)'],
  ['l.map(x)', 'l.map(x)'],
] as const)
  expansions(source, () => assert.is(line(parse(source, ALL_SYNTAX).root), expected));
expansions('stand where their calls stand', () => {
  const { root } = parse('  l.all(x, p)', ALL_SYNTAX);
  assert.is(root.kind, 'comprehension');
  assert.equal([root.at, root.from, root.to], [7, 2, 13]);
});
expansions.run();

const refusals = suite('refused arguments of macros');
for (const [source, expected] of [
  ['has(a)', '1:5: invalid argument to has() macro'],
  ['has(a[0])', '1:6: invalid argument to has() macro'],
  ['l.all(1, p)', '1:7: argument must be a simple name'],
  ['l.exists_one(a.b, p)', '1:15: argument must be a simple name'],
  ['l.map(a.b, p)', '1:8: argument is not an identifier'],
  ['l.filter(__result__, p)', '1:10: iteration variable overwrites accumulator variable'],
  ['l.all(1, x, p)', '1:7: argument must be a simple name'],
  ['l.transformList(i, 1, p)', '1:20: argument must be a simple name'],
  ['l.all(i, i, p)', '1:10: duplicate variable name: i'],
  ['l.exists(__result__, v, p)', '1:10: iteration variable overwrites accumulator variable'],
  ['l.transformMap(i, __result__, p)', '1:19: iteration variable overwrites accumulator variable'],
  ['o.optMap(1, f)', '1:10: optMap() variable name must be a simple identifier'],
  ['o.optFlatMap(1, f)', '1:14: optFlatMap() variable name must be a simple identifier'],
  ['cel.bind(1, v, f)', '1:10: cel.bind() variable names must be simple identifiers'],
] as const)
  refusals(source, () => {
    assert.throws(
      () => parse(source, ALL_SYNTAX),
      (error: Error) =>
        error instanceof SyntaxErrors && error.findings.length === 1 && error.message.startsWith(`ERROR: <input>:${expected}\n`),
    );
  });
refusals.run();

const blocks = suite('macros of the official tests alone');
blocks('name the parts of a block', () => {
  const macros = new MacroTable([...STANDARD_MACROS, ...BLOCK_MACROS]);
  const { root } = parse('cel.block([[1], cel.index(0)], cel.index(1).all(cel.iterVar(0, 1), cel.iterVar(0, 1) > 0))', {
    ...ALL_SYNTAX,
    macros,
  });
  assert.is(
    line(root),
    'cel.@block([[1], @index0], fold(@it:0:1 in @index1; @result = true; @not_strictly_false(@result); _&&_(@result, _>_(@it:0:1, 0)); @result))',
  );
});
blocks.run();
