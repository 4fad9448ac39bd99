import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Edit, editScript } from '../../runtime/go-diff/edit-script.ts';

const SIGNS: Readonly<Record<Edit, string>> = { same: '=', removed: '-', inserted: '+', modified: '~' };

/** Letters are the same or have nothing in common; those of another case are alike. */
function scriptOf(x: string, y: string): string {
  const edits = editScript(x.length, y.length, (i, j) => {
    const [a = '', b = ''] = [x[i], y[j]];
    if (a === b) return { same: 1, different: 0 };
    return a.toLowerCase() === b.toLowerCase() ? { same: 2, different: 1 } : { same: 0, different: 2 };
  });
  return edits.map((edit) => SIGNS[edit]).join('');
}

const test = suite('edit scripts');
const rows: readonly (readonly [name: string, x: string, y: string, script: string])[] = [
  ['of nothing', '', '', ''],
  ['of equal lists', 'abc', 'abc', '==='],
  ['with an element at the end', 'ab', 'abc', '==+'],
  ['with an element at the start', 'bc', 'abc', '+=='],
  ['without an element in the middle', 'abc', 'ac', '=-='],
  ['with another element in the middle', 'abc', 'axc', '=-+='],
  ['with an element that is alike', 'abc', 'aBc', '=~='],
  ['with two neighbours in the other order', 'abcd', 'acbd', '=-=+='],
  ['of lists that have nothing in common', 'ab', 'xyz', '+-+-+'],
  ['of a list that is emptied', 'ab', '', '--'],
];
for (const [name, x, y, script] of rows) test(name, () => assert.is(scriptOf(x, y), script));

test('makes the second list of the first', () => {
  for (const [x, y] of [
    ['abcabba', 'cbabac'],
    ['kitten', 'sitting'],
    ['aaaaabaaaaa', 'aabaaaacaaaa'],
  ] as const) {
    let [made, i, j] = ['', 0, 0];
    for (const sign of scriptOf(x, y)) {
      if (sign !== '-') made += sign === '=' ? x[i] : y[j];
      if (sign !== '+') i++;
      if (sign !== '-') j++;
    }
    assert.is(made, y);
    assert.is(i, x.length);
  }
});

test('looks at elements in proportion to the lengths of the lists', () => {
  let looks = 0;
  const length = 1_000;
  editScript(length, length, () => {
    looks++;
    return { same: 0, different: 2 };
  });
  assert.ok(looks <= 12 * length, `${looks} looks`);
});

test.run();
