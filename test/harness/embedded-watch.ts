import type { Client } from '../../runtime/embedded/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: events are of many kinds
type Event = any;

/**
 * Begins a watch of an embedded server: what is done once this has resolved is seen by it.
 *
 * @param path with its query, of a watch
 * @returns its events, one after the other
 */
export async function embeddedWatch(client: Pick<Client, 'fetch'>, path: string): Promise<AsyncGenerator<Event>> {
  const { body } = await client.fetch(path);
  return eventsOf(body as ReadableStream<Uint8Array>);
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line);
  }
}
