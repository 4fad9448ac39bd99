import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filePart } from '../../runtime/files/file-part.ts';

const test = suite('a part of files');
test('is read again with its own files alone', () => {
  let count = 0;
  const first = filePart(['a', 'b'], () => ++count);
  assert.is(first.reread('c'), first);
  assert.equal([first.reread('a').value, first.reread('b').value, first.value], [2, 3, 1]);
});
test('that is wrong stays what it was', () => {
  let text = 'right';
  const part = filePart(['a'], () => {
    if (text === 'wrong') throw new Error(text);
    return text;
  });
  text = 'wrong';
  assert.throws(() => part.reread('a'), /^wrong$/);
  assert.is(part.value, 'right');
  text = 'again';
  assert.is(part.reread('a').reread('b').value, 'again');
});
test.run();
