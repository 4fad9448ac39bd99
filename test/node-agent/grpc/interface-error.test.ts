import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';

const test = suite('errors of gRPC interfaces');

const ROWS: Readonly<Record<string, readonly [error: unknown, text: string]>> = {
  'a code and a text': [
    Object.assign(new Error('5 NOT_FOUND: no key'), { code: 5, details: 'no key' }),
    'rpc error: code = NotFound desc = no key',
  ],
  'a code that gRPC does not have': [
    Object.assign(new Error('999999 undefined: '), { code: 999_999, details: '' }),
    'rpc error: code = Unknown desc = the code 999999 is none of gRPC',
  ],
  'an answer that cannot be decompressed': [
    Object.assign(new Error('undefined undefined: undefined'), { code: undefined, details: undefined }),
    'rpc error: code = Internal desc = the answer is compressed in a way that is not read here',
  ],
  'an error of something else': [new Error('not open'), 'rpc error: code = Unknown desc = not open'],
};

for (const [what, [error, text]] of Object.entries(ROWS)) test(`${what} is told`, () => assert.is(InterfaceError.of(error).message, text));

test.run();
