/** What of a request is taken for credentials, by the header. */
import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearerToken, removeTokens, webSocketToken } from '../../runtime/authentication/bearer-token.ts';
import { Refusal } from '../../runtime/authentication/outcome.ts';
import { ProxyHeaders } from '../../runtime/authentication/proxy-headers.ts';
import { request } from './requests.ts';

const text = (template: string) => template.replace('${groupDomain}', 'k8s.io');
const PREFIX = 'base64url.bearer.authorization.k8s.io.';

const bearer = suite('bearer tokens');
const headers: [header: string | undefined, token: string | undefined, warned?: boolean][] = [
  [undefined, undefined],
  ['', undefined],
  ['Bearer t', 't'],
  ['bEARER t', 't'],
  ['  Bearer t  ', 't'],
  ['Bearer t and more', 't'],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer  t', undefined, true],
  ['Bearer   t', undefined, true],
  ['Basic t', undefined],
  ['t', undefined],
  ['Bearer,t', undefined],
];
for (const [header, token, warned = false] of headers)
  bearer(`${header === undefined ? 'no header' : JSON.stringify(header)} holds ${token ?? 'none'}`, () => {
    const warnings: string[] = [];
    assert.is(
      bearerToken(header, (warning) => warnings.push(warning)),
      token,
    );
    assert.is(warnings.length, warned ? 1 : 0);
  });
bearer.run();

const sockets = suite('tokens of WebSockets');
const encoded = PREFIX + Buffer.from('a-token').toString('base64url');
const offers: [name: string, protocols: string, upgrade: string | undefined, expected: string | 'refused' | undefined][] = [
  ['beside another subprotocol', `${encoded}, v5.channel.k8s.io`, 'websocket', 'a-token'],
  ['without another one', encoded, 'websocket', 'refused'],
  ['twice', `${encoded},${encoded},x`, 'websocket', 'refused'],
  ['with a character that base64url does not have', `${PREFIX}a+b,x`, 'websocket', 'refused'],
  ['that is no UTF-8', `${PREFIX}${Buffer.from([0xff]).toString('base64url')},x`, 'websocket', 'refused'],
  ['of a request that is no upgrade', `${encoded},x`, undefined, undefined],
  ['of another upgrade', `${encoded},x`, 'spdy/3.1', undefined],
  ['of another domain', `base64url.bearer.authorization.example.com.YQ,x`, 'websocket', undefined],
  ['that is empty', `${PREFIX},x`, 'websocket', undefined],
];
for (const [name, protocols, upgrade, expected] of offers)
  sockets(`a token ${name}`, () => {
    const offered = request({ 'Sec-WebSocket-Protocol': protocols, ...(upgrade && { Upgrade: upgrade }) });
    const token = webSocketToken(offered, text);
    if (expected === 'refused') assert.instance(token, Refusal);
    else assert.is(token, expected);
  });
sockets('are taken out, other subprotocols stay', () => {
  const offered = request({ 'Sec-WebSocket-Protocol': `${encoded}, v5, v4`, Upgrade: 'websocket', Authorization: 'Bearer t' });
  removeTokens(offered, text);
  assert.is(offered.headers['sec-websocket-protocol'], 'v5,v4');
  assert.is(offered.headers.authorization, undefined);
  assert.equal(offered.rawHeaders, ['Upgrade', 'websocket', 'sec-websocket-protocol', 'v5,v4']);
});
sockets.run();

const proxies = suite('headers of a proxy');
const names = {
  username: ['X-Remote-User', 'X-Second-User'],
  uid: ['X-Remote-Uid'],
  group: ['X-Remote-Group', 'X-Team'],
  extraPrefix: ['X-Remote-Extra-'],
};
const userOf = (of: IncomingMessage) => new ProxyHeaders(names).user(of);
proxies('the first name that is there decides', () => {
  assert.is(userOf(request({ 'x-second-user': 'b', 'X-REMOTE-USER': 'a' }))?.name, 'a');
  assert.is(userOf(request({ 'X-Remote-User': '', 'X-Second-User': 'b' }))?.name, 'b');
  assert.is(userOf(request({ 'X-Remote-Group': 'system:masters' })), undefined);
});
proxies('groups, uid and extra', () => {
  const sent = request([
    ['X-Remote-User', 'a'],
    ['X-Remote-Uid', '7'],
    ['X-Remote-Group', 'one'],
    ['x-remote-group', 'two, three'],
    ['X-Remote-Group', ''],
    ['X-Team', 'four'],
    ['X-Remote-Extra-Example.org%2FTeam', 'x'],
    ['X-Remote-Extra-example.org%2fteam', 'y'],
    ['X-Remote-Extra-a%zz', 'z'],
  ]);
  assert.equal(userOf(sent), {
    name: 'a',
    uid: '7',
    groups: ['one', 'two, three', 'four', 'system:authenticated'],
    extra: { 'example.org/team': ['x', 'y'], 'a%zz': ['z'] },
  });
});
proxies('names are UTF-8', () => {
  assert.is(userOf(request({ 'X-Remote-User': Buffer.from('Zoë').toString('latin1') }))?.name, 'Zoë');
});
proxies('are taken out, whoever sent them, the usual ones too', () => {
  const sent = request({ 'X-Who': 'a', 'X-Remote-User': 'b', 'X-Remote-Extra-K': 'c', 'X-More-K': 'd', Accept: '*/*' });
  new ProxyHeaders({ username: ['X-Who'], uid: [], group: [], extraPrefix: ['X-More-'] }).remove(sent);
  assert.equal(sent.rawHeaders, ['Accept', '*/*']);
  assert.equal(Object.keys(sent.headers), ['accept']);
});
proxies.run();
