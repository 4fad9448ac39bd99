import { EventEmitter } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebSocket } from 'ws';
import { CommandInput } from '../../runtime/relay/command-input.ts';

const test = suite('what the client of a command says');

/** A client of which it is noted what is done to it. */
class NotedClient extends EventEmitter {
  readonly done: string[] = [];
  readonly heard: string[] = [];
  readonly input = new CommandInput(this as unknown as WebSocket);

  pause(): void {
    this.done.push('pause');
  }

  resume(): void {
    this.done.push('resume');
  }

  close(code: number): void {
    this.done.push(`close ${code}`);
    // one that answers the end
    setImmediate(() => this.emit('close'));
  }

  begin(): void {
    this.input.begin((message) => this.heard.push(message.toString('latin1')));
  }

  say(...messages: readonly (string | number[])[]): void {
    for (const message of messages) this.emit('message', Buffer.from(message as string));
  }
}

test('waits until it can be heard, and then comes in its order', () => {
  const client = new NotedClient();
  client.say('0a', '', '4b');
  assert.equal(client.heard, []);
  client.begin();
  client.say('0c', [255, 0]);
  assert.equal(client.heard, ['0a', '4b', '0c', '\xff\x00']);
  assert.equal(client.done, ['resume']);
});

test('is not read on where much of it waits, in bytes or in messages', () => {
  for (const message of ['x'.repeat(10_000), 'x']) {
    const client = new NotedClient();
    let said = 0;
    while (client.done.length === 0) {
      client.say(message);
      said += message.length + 64;
    }
    assert.equal(client.done, ['pause']);
    assert.ok(said > 256 * 1024 && said < 300 * 1024, String(said));
  }
});

test('ends where it ends what is no channel, or several, though nobody hears it yet', () => {
  for (const malformed of [[255], [255, 5], [255, 0, 0]]) {
    const client = new NotedClient();
    client.say('0before', malformed, '0behind', malformed);
    client.begin();
    assert.equal([client.done[0], client.heard], ['close 1002', []]);
    assert.is(client.done.filter((each) => each.startsWith('close')).length, 1);
  }
});

test('is nothing to anybody behind the end', () => {
  const client = new NotedClient();
  client.begin();
  client.input.end();
  client.say('0a', [255]);
  assert.equal([client.heard, client.done], [[], ['resume', 'resume']]);
});

test.run();
