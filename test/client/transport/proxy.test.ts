/** Which proxy leads to a server, by the rules of Go's `ProxyFromEnvironment`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needsProxy, proxyOf } from '../../../runtime/client/transport/proxy.ts';

const chosen = suite('the proxy');
const environment = { HTTPS_PROXY: 'http://p:1', http_proxy: 'q:2', NO_PROXY: 'inside.example' };
const rows: [name: string, server: string, named: string | undefined, url: string | undefined][] = [
  ['of the environment for https', 'https://a.example', undefined, 'http://p:1/'],
  ['of the environment for http, in small letters and without a scheme', 'http://a.example', undefined, 'http://q:2/'],
  ['of the environment not for exceptions', 'https://a.inside.example', undefined, undefined],
  ['that a configuration names before that of the environment', 'https://a.inside.example', 'socks5://s:3', 'socks5://s:3'],
  ['that is none, as a configuration may say', 'https://a.example', '', undefined],
];
for (const [name, server, named, url] of rows) chosen(name, () => assert.is(proxyOf(new URL(server), named, environment)?.url.href, url));
chosen('has the name and password of its address', () => {
  const proxy = proxyOf(new URL('https://a'), 'https://me:p%40ss@p:1', {});
  assert.is(proxy?.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});
chosen('has one of three schemes, and no password in what is said of it', () => {
  assert.throws(() => proxyOf(new URL('https://a'), 'ftp://me:secret@p', {}), /http, https or socks5, not ftp/);
  assert.throws(
    () => proxyOf(new URL('https://a'), 'http://me:secret@', {}),
    (error: Error) => !error.message.includes('secret'),
  );
});
chosen.run();

const exceptions = suite('exceptions from the proxy');
const cases: [list: string, server: string, needs: boolean][] = [
  ['', 'https://a.example', true],
  ['', 'https://localhost:6443', false],
  ['', 'https://127.1.2.3', false],
  ['', 'https://[::1]', false],
  ['*', 'https://a.example', false],
  ['example', 'https://a.example', false],
  ['example', 'https://anexample', true],
  ['a.example', 'https://a.example', false],
  ['.example', 'https://example', true],
  ['.example', 'https://a.example', false],
  ['*.example', 'https://a.example', false],
  ['*.example', 'https://example', true],
  [' b.example , A.Example ', 'https://a.example', false],
  ['a.example:444', 'https://a.example', true],
  ['a.example:443', 'https://a.example', false],
  ['10.0.0.0/8', 'https://10.1.2.3', false],
  ['10.0.0.0/8', 'https://11.1.2.3', true],
  ['10.0.0.0/8', 'https://a.example', true],
  ['10.0.0.0/99', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd12::1]', false],
  ['10.1.2.3', 'https://10.1.2.3', false],
  ['10.1.2.3:80', 'https://10.1.2.3', true],
  ['[fd12::1]:443', 'https://[fd12::1]', false],
];
for (const [list, server, needs] of cases)
  exceptions(`"${list}" ${needs ? 'do not cover' : 'cover'} ${server}`, () => assert.is(needsProxy(new URL(server), list), needs));
exceptions.run();
