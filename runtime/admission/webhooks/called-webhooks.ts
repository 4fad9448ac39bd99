/** Which webhooks a request has called, of both kinds, and how long each took: what clients are told where the time is used up. */
import type { RequestContext } from '../../contract/request-context.ts';

interface Call {
  /** the name of the webhook in messages for clients */
  readonly webhook: string;
  readonly began: number;
  ended?: number;
}

const CALLED = new WeakMap<RequestContext, Call[]>();

/**
 * @param webhook as clients are told of it, such as `admission webhook "a.example.com"`
 * @returns to be called when the webhook has answered, or is asked no longer
 */
export function noteCall(request: RequestContext, webhook: string): () => void {
  if (request.spentOn === undefined) return () => {};
  let calls = CALLED.get(request);
  if (calls === undefined) {
    const all: Call[] = [];
    calls = all;
    CALLED.set(request, all);
    request.spentOn(() => all.map(callText).join(', '));
  }
  const call: Call = { webhook, began: performance.now() };
  calls.push(call);
  const goesOn = request.waits?.();
  return () => {
    goesOn?.();
    call.ended = performance.now();
  };
}

function callText({ webhook, began, ended }: Call): string {
  const milliseconds = Math.round((ended ?? performance.now()) - began);
  return ended === undefined ? `${webhook} had not answered after ${milliseconds} ms` : `${webhook} took ${milliseconds} ms`;
}
