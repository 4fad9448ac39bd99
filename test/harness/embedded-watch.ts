import type { Client } from '../../runtime/embedded/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: events are of many kinds
type Event = any;

/** The events of a watch of an embedded server, one after the other. @param path with its query, of a watch */
export async function* embeddedWatch(client: Pick<Client, 'fetch'>, path: string): AsyncGenerator<Event> {
  const { body } = await client.fetch(path);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line);
  }
}
