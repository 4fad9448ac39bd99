import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ExchangeError } from '../../runtime/connections/exchange-error.ts';
import { DialError } from '../../runtime/relay/dial.ts';
import { clientSignal, failureText, forwarded } from '../../runtime/relay/relay-request.ts';

const test = suite('requests that are passed on');

const TARGET = { host: 'h', port: 1 };
const request = (method: string, headers: Record<string, string>): IncomingMessage =>
  ({ method, headers, rawHeaders: Object.entries(headers).flat(), httpVersionMajor: 1, socket: {} }) as unknown as IncomingMessage;
const rows: readonly [name: string, headers: Record<string, string>, hasBody: boolean, length: string | undefined][] = [
  ['without a body', {}, false, undefined],
  ['with one of a length', { 'content-length': '5' }, true, '5'],
  ['with an empty one', { 'content-length': '0' }, false, undefined],
  ['in chunks', { 'transfer-encoding': 'chunked' }, true, undefined],
];
for (const [name, headers, hasBody, length] of rows)
  test(`${name} keep what they are`, () => {
    const given = request('POST', headers);
    const { method, path, body, bodyLength, upgrade } = forwarded(given, TARGET, '/x?y');
    assert.equal([method, path, body === given, bodyLength, upgrade], ['POST', '/x?y', hasBody, length, undefined]);
  });
const failures: readonly [error: Error, text: string][] = [
  [new DialError('no way'), 'no way'],
  [new ExchangeError('no answer'), 'no answer'],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'read: connection reset by peer'],
];
for (const [error, text] of failures) test(`${error.name} ${error.message} is told as ${text}`, () => assert.is(failureText(error), text));
test('a fault of the server itself is not told', () => assert.throws(() => failureText(new TypeError('x is undefined')), /x is undefined/));
test('end when their client is gone', () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false });
  const signal = clientSignal({ res: response } as unknown as Context);
  assert.not(signal.aborted);
  response.emit('close');
  assert.ok(signal.aborted);
  assert.ok(clientSignal({ res: { destroyed: true } } as unknown as Context).aborted);
});

test.run();
