/** What must hold after any input, however bad. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client } from './client.ts';
import type { TestServer } from './server.ts';

/**
 * Tests after each of which the server must still run, answer a new connection, and have logged no fault.
 * (uvu's own `after.each` cannot say so: it gives up the whole suite when it throws after a test that failed.)
 */
export function attacksOn(server: TestServer, test: Test): (name: string, body: () => Promise<void>) => void {
  let known = 0;
  const newFaults = (): string[] => {
    const faults = server.faults();
    const fresh = faults.slice(known);
    known = faults.length;
    return fresh;
  };
  return (name, body) =>
    test(name, async () => {
      try {
        await body();
      } catch (error) {
        const faults = newFaults();
        if (faults.length > 0 && error instanceof Error) error.message += `\nthe server's log: ${faults.join('\n')}`;
        throw error;
      }
      await assertAnswers(server);
      assert.equal(newFaults(), []);
    });
}

/** The server runs, and is ready for whoever connects. */
export async function assertAnswers(server: TestServer): Promise<void> {
  assert.ok(server.running(), `the server has ended\n${server.log().slice(-5_000)}`);
  const client = new Client(server);
  const { status } = await client.get('/readyz');
  client.close();
  assert.is(status, 200);
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
