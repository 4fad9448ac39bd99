import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodedKey } from '../../runtime/authentication/request-headers.ts';

const test = suite('keys in names of headers');
for (const [name, sent, key] of [
  ['without escapes', 'scopes', 'scopes'],
  ['with escapes of both cases', 'example.org%2fa%2Fb', 'example.org/a/b'],
  ['with characters of several bytes', '%e2%82%ac', '€'],
  ['with bytes that are no UTF-8', 'a%ffb', 'a\ufffdb'],
  ['with a broken escape', 'a%2fb%zz', 'a%2fb%zz'],
  ['with an escape that breaks off', 'a%2fb%2', 'a%2fb%2'],
] as const)
  test(name, () => assert.is(decodedKey(sent), key));
test.run();
