import type { EmbeddedServer } from '../../runtime/embedded/start-server.ts';

/** Asks an embedded server. What is answered with a line of text, as paths of what is not served yet are, has an empty body. */
export async function jsonRequest<Answer>(
  { client }: Pick<EmbeddedServer, 'client'>,
  method: string,
  path: string,
  body?: object,
  type = 'application/json',
): Promise<{ readonly status: number; readonly body: Answer; readonly warnings: string | null }> {
  const headers = body && { 'content-type': type };
  const answer = await client.fetch(path, { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, body: (isJson ? JSON.parse(text) : {}) as Answer, warnings: answer.headers.get('warning') };
}
