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

test('what shows a large list with each of its elements stays within bounds', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => `element ${index}`.padEnd(100));
  const { status } = newInvalid(
    of,
    'a',
    list.map((element) => invalid('list', list, `${element} is wrong`)),
  );
  const message = status.message as string;
  assert.ok(message.length < 4 * MEGABYTE, `${message.length}`);
  assert.is(status.details?.causes?.length, 1);
  assert.match(message, /and 19999 more\]$/);
});

test('many small errors are told as far as there is room', () => {
  const errors = Array.from({ length: 40_000 }, (_, index) => invalid(`data[${index}]`, 'x'.repeat(50), 'is wrong'));
  const { status } = newInvalid(of, 'a', errors);
  const told = status.details?.causes?.length ?? 0;
  assert.ok(told > 5_000 && told < errors.length, `${told}`);
  assert.match(status.message as string, new RegExp(`, and ${errors.length - told} more\\]$`));
});

test('one error is told however long it is', () => {
  assert.ok(messageOf([invalid('a', 'x'.repeat(2 * MEGABYTE), 'y')]).length > 2 * MEGABYTE);
});

test.run();
