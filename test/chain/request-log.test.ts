import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requestLog } from '../../runtime/chain/request-log.ts';
import type { ClientRequest } from '../../runtime/endpoints/request/client-request.ts';

const test = suite('the log of requests');

const silent = () => {};
const logOf = (isEnabled: boolean, lines: object[] = []) => ({
  debug: (fields: object) => void lines.push(fields),
  info: silent,
  warn: silent,
  error: silent,
  isEnabled: () => isEnabled,
});

const seen = (request: object): object => {
  const lines: object[] = [];
  requestLog(logOf(true, lines))()?.(request as ClientRequest, 'GET', 'whole', 2);
  assert.is(lines.length, 1);
  return lines[0] as object;
};

test('a line says who asked for what, and what was answered', () => {
  const request = { id: 'x', info: { path: '/api/v1/pods' }, user: { name: 'jane' }, answer: { status: 200, length: 7 } };
  const expected = {
    requestId: 'x',
    method: 'GET',
    path: '/api/v1/pods',
    user: 'jane',
    status: 200,
    bytes: 7,
    end: 'whole',
    milliseconds: 2,
  };
  assert.equal(seen(request), expected);
});

test('a request that was refused before it was known whose it is has a line as well', () => {
  const request = { id: 'x', info: { path: '/' }, answer: { status: 401, length: 3 } };
  assert.equal(seen(request), { requestId: 'x', method: 'GET', path: '/', status: 401, bytes: 3, end: 'whole', milliseconds: 2 });
});

test('nobody is told of requests where the log wants no lines of them', () => assert.is(requestLog(logOf(false))(), undefined));

test.run();
