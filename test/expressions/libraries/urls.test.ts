import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { result } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);
const PARTS = ['Scheme', 'Host', 'Hostname', 'Port', 'EscapedPath'] as const;

const parts: readonly (readonly [url: string, scheme: string, host: string, name: string, port: string, path: string])[] = [
  ['/path', '', '', '', '', '/path'],
  ['HTTPS://example.com:80/', 'https', 'example.com:80', 'example.com', '80', '/'],
  ['https://example.com:/', 'https', 'example.com:', 'example.com', '', '/'],
  ['https://[::1]:80/', 'https', '[::1]:80', '::1', '80', '/'],
  ['https://[fe80::1%25en0]/', 'https', '[fe80::1%en0]', 'fe80::1%en0', '', '/'],
  ['https://user:pass@example.com/a', 'https', 'example.com', 'example.com', '', '/a'],
  ['https://example.com', 'https', 'example.com', 'example.com', '', ''],
  ['https://example.com/path with spaces/é', 'https', 'example.com', 'example.com', '', '/path%20with%20spaces/%C3%A9'],
  ['https://example.com/a%2fb', 'https', 'example.com', 'example.com', '', '/a%2fb'],
  ['https://example.com/%ff%FF', 'https', 'example.com', 'example.com', '', '/%ff%FF'],
  ['https://example.com/a?b#c/d', 'https', 'example.com', 'example.com', '', '/a'],
  ['mailto:a@b.c', 'mailto', '', '', '', ''],
  ['*', '', '', '', '', '*'],
];

const queries: readonly (readonly [url: string, query: unknown])[] = [
  ['https://example.com/path?k1=a&k2=b&k2=c', { k1: ['a'], k2: ['b', 'c'] }],
  ['https://example.com/path?key with spaces=value+with%20spaces', { 'key with spaces': ['value with spaces'] }],
  ['https://example.com/path?', {}],
  ['https://example.com/path', {}],
  ['https://example.com/path?a;b=c&d&=e&%zz=1', { d: [''], '': ['e'] }],
];

const errors: readonly (readonly [url: string, problem: string])[] = [
  ['', 'parse "": empty url'],
  ['../relative-path', 'parse "../relative-path": invalid URI for request'],
  ['https://a:b:c/', 'parse "https://a:b:c/": invalid port ":c" after host'],
  ['://host', 'parse "://host": missing protocol scheme'],
  ['https://[::1', 'parse "https://[::1": missing \']\' in host'],
  ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
  ['https://%41/', 'parse "https://%41/": invalid URL escape "%41"'],
  ['https://a/%zz', 'parse "https://a/%zz": invalid URL escape "%zz"'],
  ['https://a/%é', 'parse "https://a/%é": invalid URL escape "%é"'],
  ['https://a/%2é', 'parse "https://a/%2é": invalid URL escape "%2\\xc3"'],
  ['https://a/%2', 'parse "https://a/%2": invalid URL escape "%2"'],
  ['https://us er@a/', 'parse "https://us er@a/": net/url: invalid userinfo'],
  ['/a\\n', 'parse "/a\\n": net/url: invalid control character in URL'],
];

const equal: readonly (readonly [a: string, b: string, same: boolean])[] = [
  ['https://a/b', 'HTTPS://a/b', true],
  ['https://a/b', 'https://a/b?', false],
  ['file:///a', 'file:/a', false],
  ['https://a/%2f', 'https://a//', false],
  ['https://u:p@a/', 'https://u:p@a/', true],
];

const test = suite('URLs in expressions');
for (const [url, ...wanted] of parts)
  test(`${url} has parts`, () =>
    assert.equal(
      PARTS.map((part) => result(`url('${url}').get${part}()`, LIBRARIES)),
      wanted,
    ));
for (const [url, query] of queries) test(`${url} has a query`, () => assert.equal(result(`url('${url}').getQuery()`, LIBRARIES), query));
for (const [url, problem] of errors)
  test(`'${url}' is none`, () => {
    assert.is(result(`url('${url}')`, LIBRARIES), `error: URL parse error during conversion from string: ${problem}`);
    assert.is(result(`isURL('${url}')`, LIBRARIES), false);
  });
for (const [a, b, same] of equal)
  test(`${a} and ${b} are ${same ? '' : 'not '}equal`, () => assert.is(result(`url('${a}') == url('${b}')`, LIBRARIES), same));
test.run();
