import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonPhrase, setStatus } from '../../runtime/connections/reason-phrase.ts';

const test = suite('words behind a status');

test('are those of Go', () => {
  assert.equal([200, 404, 413, 418, 509, 599].map(reasonPhrase), [
    'OK',
    'Not Found',
    'Request Entity Too Large',
    "I'm a teapot",
    'status code 509',
    'status code 599',
  ]);
});
test('are set where Node has others, and there are any', () => {
  const set = (status: number, httpVersionMajor: number) => {
    const response = { req: { httpVersionMajor } } as ServerResponse;
    setStatus(response, status);
    return [response.statusCode, response.statusMessage];
  };
  assert.equal(set(413, 1), [413, 'Request Entity Too Large']);
  assert.equal(set(413, 2), [413, undefined]);
  assert.equal(set(404, 1), [404, undefined]);
});

test.run();
