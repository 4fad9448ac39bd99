import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newUuid } from '../../runtime/schema/random-uuid.ts';

const test = suite('random UUIDs');

test('they are of version 4 and of the variant of RFC 9562, in small letters', () => {
  for (let i = 0; i < 1_000; i++) assert.match(newUuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('none comes twice, and each of their digits takes every value', () => {
  const made = Array.from({ length: 10_000 }, newUuid);
  assert.is(new Set(made).size, made.length);
  const places = [...(made[0] as string)].flatMap((_, place) => ('-'.includes((made[0] as string)[place] as string) ? [] : place));
  const values = places.map((place) => new Set(made.map((uuid) => uuid[place])).size);
  // that of the version has one, that of the variant four
  assert.equal(
    values.toSorted((a, b) => a - b),
    [1, 4, ...Array.from({ length: 30 }, () => 16)],
  );
});

test.run();
