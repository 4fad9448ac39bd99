import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FieldError, invalid } from '../../runtime/contract/field-error.ts';
import { newInvalid } from '../../runtime/status/status.ts';

const test = suite('objects that are invalid');

const of = { group: 'apps', kind: 'Deployment' };
const messageOf = (errors: readonly FieldError[]) => newInvalid(of, 'a', errors).status.message as string;
const MEGABYTE = 1_000_000;

test('one error stands alone, several in brackets, the same text once', () => {
  assert.is(messageOf([invalid('a', 1, 'x')]), 'Deployment.apps "a" is invalid: a: Invalid value: 1: x');
  assert.is(
    messageOf([invalid('a', 1, 'x'), invalid('a', 1, 'x'), invalid('b', [2], 'y')]),
    'Deployment.apps "a" is invalid: [a: Invalid value: 1: x, b: Invalid value: [2]: y]',
  );
});

/** What says that there were more errors. */
const endOf = (told: number) => `Too many errors: no more than the first ${told} are told`;

test('what shows a large list with each of its elements stays within bounds', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => `element ${index}`.padEnd(100));
  const { status } = newInvalid(
    of,
    'a',
    list.map((element) => invalid('list', list, `${element} is wrong`)),
  );
  const { causes = [] } = status.details ?? {};
  assert.ok(JSON.stringify(status).length < MEGABYTE);
  assert.is(causes.length, 2);
  assert.equal(causes[1], { reason: 'FieldValueTooMany', message: endOf(1) });
});

test('a thousand errors are told, and of more that there are more', () => {
  const errors = Array.from({ length: 1_001 }, (_, index) => invalid(`data[${index}]`, '', 'is wrong'));
  const all = newInvalid(of, 'a', errors.slice(0, 1_000)).status;
  assert.is(all.details?.causes?.length, 1_000);
  assert.not.match(all.message as string, /Too many/);
  const { message, details } = newInvalid(of, 'a', errors).status;
  assert.is(details?.causes?.length, 1_001);
  assert.equal(details?.causes?.at(-1), { reason: 'FieldValueTooMany', message: endOf(1_000) });
  assert.ok((message as string).endsWith(`, ${endOf(1_000)}]`));
});

test('long errors are told as far as there is room', () => {
  const errors = Array.from({ length: 900 }, (_, index) => invalid(`data[${index}]`, 'x'.repeat(1_000), 'is wrong'));
  const { status } = newInvalid(of, 'a', errors);
  const told = (status.details?.causes?.length ?? 0) - 1;
  assert.ok(told > 200 && told < errors.length, `${told}`);
  assert.ok((status.message as string).endsWith(`, ${endOf(told)}]`));
});

test('of one error that is very long the beginning is told', () => {
  const { message } = newInvalid(of, 'a', [invalid('a', 'x'.repeat(2 * MEGABYTE), 'y')]).status;
  assert.ok((message as string).length < MEGABYTE / 2);
  assert.match(message as string, /^Deployment\.apps "a" is invalid: a: Invalid value: "x+\.\.\.$/);
});

test.run();
