/** What must hold after any input, however bad. */
import * as assert from 'uvu/assert';
import { type Answer, Client } from './client.ts';
import type { TestServer } from './server.ts';

/** The server answers a new connection, and has not logged a fault. */
export async function assertServes(server: TestServer): Promise<void> {
  assert.ok(server.running(), `the server has ended\n${server.log().slice(-5_000)}`);
  const client = new Client(server);
  const { status } = await client.get('/readyz');
  client.close();
  assert.is(status, 200);
  assert.equal(server.faults(), []);
}

/** Nothing of our insides. */
export function assertNoTrace(answer: Answer): void {
  assert.not.match(answer.text, /\bat \S+ \(|\.ts:\d+|node:internal|node_modules|\/runtime\//, answer.text.slice(0, 2_000));
}

/** A refusal in full. @param codes HTTP statuses that fit; any from 400 to 499 where there are none */
export function assertRefused(answer: Answer, ...codes: readonly number[]): void {
  const shown = `${answer.status} ${answer.text.slice(0, 500)}`;
  if (codes.length > 0) assert.ok(codes.includes(answer.status), `wanted ${codes.join(' or ')}, got ${shown}`);
  else assert.ok(answer.status >= 400 && answer.status < 500, shown);
  assertNoTrace(answer);
  // Paths outside of the API groups are answered in plain text.
  if (answer.status === 404 && answer.body === undefined) return;
  assert.is(answer.body?.kind, 'Status', shown);
  assert.is(answer.body.apiVersion, 'v1', shown);
  assert.is(answer.body.status, 'Failure', shown);
  assert.is(answer.body.code, answer.status, shown);
  assert.type(answer.body.reason, 'string', shown);
}
