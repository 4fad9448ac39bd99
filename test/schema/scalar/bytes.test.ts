import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalBase64 } from '../../../runtime/schema/scalar/bytes.ts';

const bytes = suite('bytes');

const canonical: readonly [text: string, canonical: string][] = [
  ['', ''],
  ['aGk=', 'aGk='],
  ['aGkh', 'aGkh'],
  ['aG\nk=', 'aGk='],
  ['aGk=\r\n', 'aGk='],
  ['aGl=', 'aGk='],
];
for (const [text, expected] of canonical) {
  bytes(`${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => assert.is(canonicalBase64(text), expected));
}

const refused: readonly [text: string, at: number][] = [
  ['a', 0],
  ['aG', 0],
  ['aGk', 0],
  ['aGkha', 4],
  ['a=', 1],
  ['=', 0],
  ['aG=', 3],
  ['aG=k', 2],
  ['aGk=a', 4],
  ['aGk=aGk=', 4],
  ['a b=', 1],
  ['a-_=', 1],
  ['é', 0],
];
for (const [text, at] of refused) {
  bytes(`refuses ${JSON.stringify(text)} at ${at}`, () => {
    assert.throws(
      () => canonicalBase64(text),
      (error: unknown) => error instanceof Error && error.message === `illegal base64 data at input byte ${at}`,
    );
  });
}

bytes('what the engine writes is canonical', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
      const text = Buffer.from(data).toString('base64');
      assert.is(canonicalBase64(text), text);
    }),
  );
});

bytes.run();
