import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog, type Log, type ProcessLog } from '../../runtime/server/log.ts';
import { newServiceUnavailable } from '../../runtime/status/status.ts';

function logged(verbosity: number, write: (log: Log) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog({ verbosity, destination: { write: (line) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line));
}

const levels = suite('levels');
const all = (log: Log) => {
  log.debug({}, 'a');
  log.info({}, 'b');
  log.warn({}, 'c');
  log.error({}, 'd');
};
const rows: [verbosity: number, messages: string[]][] = [
  [0, ['c', 'd']],
  [1, ['b', 'c', 'd']],
  [2, ['b', 'c', 'd']],
  [3, ['a', 'b', 'c', 'd']],
  [10, ['a', 'b', 'c', 'd']],
];
for (const [verbosity, messages] of rows)
  levels(`of -v ${verbosity}`, () => {
    assert.equal(
      logged(verbosity, all).map((line) => line.msg),
      messages,
    );
    assert.is(createLog({ verbosity }).isEnabled('debug'), messages.includes('a'));
  });
levels('can be changed, for children too', () => {
  const lines = logged(0, (log) => {
    const child = log.child({ requestId: 'x' });
    child.info({}, 'too little');
    (log as ProcessLog).setVerbosity(3);
    child.debug({}, 'a');
    assert.ok(child.isEnabled('debug'));
    (log as ProcessLog).setVerbosity(0);
    child.info({}, 'too little again');
  });
  assert.equal(
    lines.map(({ msg }) => msg),
    ['a'],
  );
});
levels('stand in the line, with the time and the process', () => {
  const [line] = logged(0, (log) => log.warn({ port: 1 }, 'hello'));
  assert.equal({ ...line, time: typeof line?.time }, { level: 'warn', time: 'string', pid: process.pid, port: 1, msg: 'hello' });
});
levels('are kept by children, whose fields stand in every line', () => {
  const lines = logged(0, (log) => {
    const child = log.child({ requestId: 'x' });
    child.info({}, 'a');
    child.error({ code: 1 }, 'b');
  });
  assert.equal(
    lines.map(({ msg, requestId, code }) => ({ msg, requestId, code })),
    [{ msg: 'b', requestId: 'x', code: 1 }],
  );
});
levels('show errors with their stack and cause', () => {
  const [line] = logged(0, (log) => log.error({ err: new TypeError('no', { cause: new Error('yes') }) }, 'failed'));
  const error = line?.err as { type: string; message: string; stack: string; cause: { message: string } };
  assert.equal([error.type, error.message, error.cause.message], ['TypeError', 'no', 'yes']);
  assert.match(error.stack, 'log.test.ts');
});
levels('show what clients may be told without a stack', () => {
  const [line] = logged(0, (log) => log.warn({ err: newServiceUnavailable('no') }, 'it is tried again'));
  const error = line?.err as { message: string; stack?: string };
  assert.equal([error.message, error.stack], ['no', undefined]);
});
levels.run();

const secrets = suite('secrets');
const SECRET = 'hunter2hunter2';
const hidden: [name: string, fields: object, message?: string][] = [
  ['a header', { headers: { Authorization: SECRET, cookie: [SECRET] } }],
  ['a member by its name', { user: { 'access-token': SECRET, password: SECRET } }],
  ['a client key', { users: [{ 'client-key-data': SECRET }] }],
  ['a bearer token in a text', { text: `got "Bearer ${SECRET}" from` }],
  ['a bearer token in the message', {}, `bearer ${SECRET}`],
  ['a bearer token in an error', { err: new Error(`wrong: Bearer ${SECRET}`) }],
  ['a member of an error', { err: Object.assign(new Error('x'), { token: SECRET }) }],
  ['a PEM key', { tls: `-----BEGIN EC PRIVATE KEY-----\n${SECRET}\n-----END EC PRIVATE KEY-----` }],
  ['a JSON web token', { text: `eyJhbGciOiJSUzI1NiJ9.${SECRET}.${SECRET}` }],
  ['a token in a URL', { url: `/api?watch=1&token=${SECRET}&x=1` }],
  ['bytes', { body: Buffer.from(SECRET) }],
];
for (const [name, fields, message] of hidden)
  secrets(`${name} is not logged`, () => {
    const text = JSON.stringify(logged(3, (log) => log.warn(fields, message ?? 'hello')));
    assert.not.match(text, SECRET);
    assert.match(text, /\[secret\]|bytes/);
  });
secrets('of a child are not logged', () => {
  assert.not.match(JSON.stringify(logged(3, (log) => log.child({ token: SECRET }).warn({}, 'hello'))), SECRET);
});
secrets('leave other fields as they are, and the caller’s object too', () => {
  const fields = { name: 'secret-a', key: 'secrets/default/a', count: 1n, headers: { accept: 'x', cookie: SECRET } };
  const [line] = logged(3, (log) => log.warn(fields, 'hello'));
  assert.equal([line?.name, line?.key, line?.count], ['secret-a', 'secrets/default/a', '1']);
  assert.is(fields.headers.cookie, SECRET);
});
secrets('circles end', () => {
  const fields: Record<string, unknown> = {};
  fields.self = fields;
  assert.is(logged(0, (log) => log.warn(fields, 'hello')).length, 1);
});
secrets.run();
