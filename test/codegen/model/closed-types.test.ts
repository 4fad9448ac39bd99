/** Which types' constraints depend on the value alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closedTypes } from '../../../codegen/model/constraints/closed.ts';
import type { Step, StructConstraints } from '../../../runtime/contract/constraint.ts';

const SCOPED: Step = { do: 'rule', rule: 'toys/toy#fits', scoped: true, stop: false };
const leadsTo = (definition: string): Step => ({ do: 'type', definition, changes: false });
const stated = (object: readonly Step[], scope?: string): StructConstraints => ({
  closed: false,
  object,
  changes: [],
  status: [],
  ...(scope !== undefined && { scope }),
});
const closed = (types: Readonly<Record<string, StructConstraints>>): string[] => [...closedTypes(new Map(Object.entries(types)))].sort();

const test = suite('closed types');

test('a rule that looks at the scope of an enclosing struct opens its type and those that hold it', () => {
  assert.equal(closed({ Toy: stated([leadsTo('Part')]), Part: stated([SCOPED]), Box: stated([]) }), ['Box']);
});

test('a type that makes the scope is closed, whatever looks at that', () => {
  assert.equal(closed({ Toy: stated([leadsTo('Part')], 'toys/toy#scope'), Part: stated([SCOPED]) }), ['Toy']);
});

test('types that hold each other are open where one of them is, in whatever order they are found', () => {
  const types = { Toy: stated([leadsTo('Part'), SCOPED]), Part: stated([leadsTo('Toy')]) };
  assert.equal(closed(types), []);
  assert.equal(closed({ Part: types.Part, Toy: types.Toy }), []);
});

test('types that hold each other are closed where nothing looks at a scope', () => {
  assert.equal(closed({ Toy: stated([leadsTo('Part')]), Part: stated([leadsTo('Toy')]) }), ['Part', 'Toy']);
});

test.run();
