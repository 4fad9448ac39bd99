import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog, type Log, type LogOptions, type ProcessLog } from '../../../runtime/server/log/log.ts';
import { newServiceUnavailable } from '../../../runtime/status/status.ts';

function linesOf(options: LogOptions, write: (log: ProcessLog) => void): string[] {
  const lines: string[] = [];
  write(createLog({ ...options, destination: { write: (line) => lines.push(line) } }));
  return lines;
}

const logged = (verbosity: number, write: (log: ProcessLog) => void): Record<string, unknown>[] =>
  linesOf({ format: 'json', verbosity }, write).map((line) => JSON.parse(line));

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
    assert.is(createLog({ format: 'json', verbosity }).isEnabled('debug'), messages.includes('a'));
  });
levels('can be changed, for children too', () => {
  const lines = logged(0, (log) => {
    const child = log.child({ requestId: 'x' });
    child.info({}, 'too little');
    log.setLevels({ verbosity: 3 });
    child.debug({}, 'a');
    assert.ok(child.isEnabled('debug'));
    log.setLevels({ verbosity: 0 });
    child.info({}, 'too little again');
  });
  assert.equal(
    lines.map(({ msg }) => msg),
    ['a'],
  );
});
levels('stand in the line, with the time and the process', () => {
  const [line] = logged(0, (log) => log.warn({ port: 1 }, 'hello'));
  assert.match(line?.caller as string, /^log\/log\.test\.ts:\d+$/);
  assert.ok(Math.abs((line?.ts as number) - Date.now()) < 60_000);
  assert.equal({ ...line, ts: 0, caller: '' }, { ts: 0, caller: '', msg: 'hello', v: 0, level: 'warn', pid: process.pid, port: 1 });
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
  assert.is(line?.err, 'no: yes');
  assert.match(line?.stacktrace as string, /^TypeError: no\n[\s\S]*log\.test\.ts[\s\S]*\ncaused by Error: yes\n/);
  assert.not.ok('v' in (line as object));
});
levels('show what clients may be told without a stack', () => {
  const [line] = logged(0, (log) => log.warn({ err: newServiceUnavailable('no') }, 'it is tried again'));
  assert.equal([line?.err, line?.stacktrace], ['no', undefined]);
});
levels('are those of its source file where a pattern fits that, also while it runs', () => {
  const modules = [
    { pattern: 'other', verbosity: 9 },
    { pattern: 'log.*', verbosity: 3 },
  ];
  const lines = linesOf({ format: 'json', modules }, (log) => {
    log.child({}).debug({}, 'a');
    assert.ok(log.isEnabled('debug'));
    log.setLevels({ modules: [] });
    log.debug({}, 'b');
    assert.not.ok(log.isEnabled('debug'));
    log.setLevels({ modules: [{ pattern: 'log/log.test', verbosity: 1 }] });
    log.info({}, 'c');
    log.debug({}, 'd');
  });
  assert.equal(
    lines.map((line) => JSON.parse(line).msg),
    ['a', 'c'],
  );
});
levels.run();

const text = suite('text');
const shown = (write: (log: Log) => void): string => linesOf({ format: 'text', verbosity: 3 }, write).join('');
const HEADER = /^([IWE])(\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})\.\d{6} +(\d+) (\S+?):(\d+)\] /;
text('begins with the time, the process and the place, as in 1.32', () => {
  const before = new Date();
  const line = shown((log) => log.info({}, 'hello'));
  const [, letter, month, day, , , , pid, file] = HEADER.exec(line) as unknown as string[];
  assert.equal([letter, Number(pid), file], ['I', process.pid, 'log.test.ts']);
  assert.ok([before, new Date()].some((date) => Number(month) === date.getMonth() + 1 && Number(day) === date.getDate()));
  assert.is(line.indexOf(' log.test.ts:'), 29);
});
for (const [level, letter] of [
  ['debug', 'I'],
  ['info', 'I'],
  ['warn', 'W'],
  ['error', 'E'],
] as const)
  text(`of ${level} begins with ${letter}`, () => assert.is(shown((log) => log[level]({}, 'x'))[0], letter));
const pairs: [what: string, fields: object, line: string][] = [
  ['nothing', {}, '"hello"'],
  ['text', { name: 'a "b"\t' }, String.raw`"hello" name="a \"b\"\t"`],
  ['numbers, truth and nothing', { a: 1.5, b: true, c: null, d: undefined }, '"hello" a=1.5 b=true c=null'],
  ['objects and lists', { a: { b: [1, 'x'] } }, '"hello" a={"b":[1,"x"]}'],
  ['lines', { text: 'a\nb\n', name: 'c' }, '"hello" text=<\n\ta\n\tb\n > name="c"'],
  ['an error that says itself what is wrong', { err: newServiceUnavailable('no') }, '"hello" err="no"'],
];
for (const [what, fields, line] of pairs)
  text(`has pairs: ${what}`, () => assert.is(shown((log) => log.info(fields, 'hello')).replace(HEADER, ''), `${line}\n`));
text('has the stack of a fault', () => {
  assert.match(
    shown((log) => log.error({ err: new TypeError('no') }, 'failed')),
    /\] "failed" err="no" stacktrace=<\n\tTypeError: no\n\t {4}at .*\n[\s\S]* >\n$/,
  );
});
text('keeps a forged line within its quotes', () => {
  const line = shown((log) => log.warn({ path: '/x\r\nI0101' }, 'a\nE0101 forged'));
  assert.is(
    line
      .trimEnd()
      .split('\n')
      .filter((each) => HEADER.test(each) || !/^\t| >/.test(each)).length,
    1,
  );
});
text.run();

const secrets = suite('secrets');
const SECRET = 'hunter2hunter2';
const hidden: [name: string, fields: object, message?: string][] = [
  ['a header', { headers: { Authorization: SECRET, cookie: [SECRET] } }],
  ['a member by its name', { user: { 'access-token': SECRET, password: SECRET } }],
  ['a client key', { users: [{ 'client-key-data': SECRET }] }],
  ['a bearer token in a text', { text: `got "Bearer ${SECRET}" from` }],
  ['a bearer token in the message', {}, `bearer ${SECRET}`],
  ['a bearer token in an error', { err: new Error(`wrong: Bearer ${SECRET}`) }],
  ['a token in a stack', { err: new Error('x', { cause: new Error(`Bearer ${SECRET}`) }) }],
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
