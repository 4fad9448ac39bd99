/** What a client is told of the warnings of a server. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { createClient } from '../../../generated/client/index.ts';
import { warningsOf } from '../../../runtime/client/resources/warnings.ts';

/** Node gives each byte of a header as a character. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const rows: [name: string, headers: string[], texts: string[]][] = [
  ['without a text', [''], []],
  ['of two parts', ['A B'], []],
  ['with a short code', ['1 - "text"'], []],
  ['without a code', ['A - "text"'], []],
  ['with another code', ['321 - "text"'], []],
  ['with a code as that of the API', ['299 - "text"'], ['text']],
  ['of an agent', ['299 agent "text"'], ['text']],
  ['with an empty text', ['299 - ""'], []],
  ['with what is escaped', [String.raw`299 - "text\"\\\a\b\c"`], ['text"\\abc']],
  ['with a date', ['  299 - "text"  "Tue, 15 Nov 1994 08:12:31 GMT" , '], ['text']],
  ['with half a date', ['299 - "text"  "Tue, 15 Nov 1994 08:12:31 GMT'], []],
  ['with more behind the date', ['299 - "text" "Tue, 15 Nov 1994 08:12:31 GMT" other'], []],
  ['in UTF-8', [bytes('299 - "Iñtërnâtiônàlizætiøn,💝⛔"')], ['Iñtërnâtiônàlizætiøn,💝⛔']],
  ['in bytes that are no UTF-8', ['299 - "text\u00c5"'], []],
  ['with a control character', ['299 - "text\u001b[2J"'], []],
  ['in encoded words, quoted', ['299 - "=?iso-8859-1?q?this=20is=20some=20text?="'], ['this is some text']],
  ['in encoded words, with quotes', [String.raw`299 - "=?UTF-8?Q?a \"horsey\": =F0=9F=90=8E?="`], ['a "horsey": 🐎']],
  ['in encoded words, as base64', ['299 - "=?UTF-8?B?8J+Qjg==?= and =?UTF-8?b?8J+Qjg==?="'], ['🐎 and 🐎']],
  ['in encoded words that hide a control character', ['299 - "=?UTF-8?Q?=1B[2J?="'], []],
  ['in an unknown character set', ['299 - "=?UTF-9?Q?a=20b?="'], ['=?UTF-9?Q?a=20b?=']],
  ['in one header', ['299 - "1.1",299 - "1.2" ,  299 - "1.3"'], ['1.1', '1.2', '1.3']],
  ['with one inside of another', [String.raw`299 - "a, 299 - \"b\"", 299 - "c"`], ['a, 299 - "b"', 'c']],
  ['behind a header that is broken', ['299 - "1", 299 - "2', '299 - "3"'], ['1', '3']],
];
const parsed = suite('warnings');
for (const [name, headers, texts] of rows) parsed(name, () => assert.equal(warningsOf(headers), texts));
parsed.run();

const told = suite('a client');
told('is told the warnings of each header', async () => {
  const body = JSON.stringify({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } });
  const head = ['HTTP/1.1 200 OK', `content-length: ${body.length}`, 'warning: 299 - "ä", 299 - "', 'warning: 299 - "b"'];
  const server = net.createServer((socket) => socket.once('data', () => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const warnings: string[] = [];
  const { port } = server.address() as AddressInfo;
  const client = createClient({ server: `http://127.0.0.1:${port}` }, { onWarning: (text) => warnings.push(text) });
  await client.resource(nodes).get('x');
  await client.close();
  server.close();
  assert.equal(warnings, ['ä', 'b']);
});
told.run();
