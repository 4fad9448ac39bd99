import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textsIn } from '../../../runtime/schema/text/texts-in.ts';

const test = suite('texts in a value');
test('every text is found once, names of members are none', () =>
  assert.equal([...textsIn({ a: 'x', b: [{ c: 'y' }, 'x', 1, null] })].sort(), ['x', 'y']));
test('nothing has none', () => assert.equal([...textsIn(undefined)], []));
test('depth does not matter', () => {
  let value: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  assert.equal([...textsIn(value)], ['x']);
});
test.run();
