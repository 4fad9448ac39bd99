import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pathText, unescapedBytes, writtenPath } from '../../../runtime/endpoints/request/path-text.ts';

const test = suite('paths as clients write them');

test('end before the query', () => {
  assert.equal(['/a?b=/c', '/a', '?'].map(writtenPath), ['/a', '/a', '']);
});
test('have the bytes that they escape', () => {
  assert.is(unescapedBytes('/a%2fb%FF\xfc%25'), '/a/b\xff\xfc%');
  for (const broken of ['%', '%2', '%zz', '/%2', '%2g/']) assert.throws(() => unescapedBytes(broken), URIError);
});
test('are texts in UTF-8, escaped or not, and show what is none', () => {
  assert.is(pathText('/%C3%BC'), '/ü');
  assert.is(pathText('/\xc3\xbc'), '/ü');
  assert.is(pathText('/%ff'), '/\ufffd');
});

test.run();
