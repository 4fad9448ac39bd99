/** What administrators look at and change while the server runs, below /debug: profiles, and how much it logs. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import type { ProfileKind, Profiler } from '../../observability/profiler.ts';
import { newBadRequest, newMethodNotAllowed, newTooManyRequests } from '../../status/status.ts';
import { requestOf } from '../client-request.ts';

/** Seconds, where the query says none, and at most. */
const USUAL = 30;
const LONGEST = 300;
/** Seconds after which who finds another profile being taken may ask again. */
const RETRY = 10;

const PROFILES: Readonly<Record<string, { readonly kind: ProfileKind; readonly extension: string }>> = {
  profile: { kind: 'profile', extension: 'cpuprofile' },
  allocs: { kind: 'allocs', extension: 'heapprofile' },
};

const INDEX = `/debug/pprof/

profile?seconds=${USUAL}  what takes the time of this process, as a .cpuprofile
allocs?seconds=${USUAL}   who allocates its memory, as a .heapprofile
`;

/** Below /debug/pprof/, by name. */
export function profileHandler(profiler: Profiler) {
  return async (context: Context): Promise<void> => {
    if (context.method !== 'GET') throw newMethodNotAllowed();
    const { name = '' } = context.params as { name?: string };
    const answer = answerOf(context);
    if (name === '') return answer.send(200, 'text/plain; charset=utf-8', INDEX);
    const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
    if (found === undefined) return answer.send(404, 'text/plain; charset=utf-8', 'Unknown profile\n');
    const { info, signal } = requestOf(context);
    const profile = await profiler.take(found.kind, 1_000 * secondsOf(info.query.get('seconds')), signal);
    if (profile === undefined) throw newTooManyRequests('a profile is being taken already', RETRY);
    context.res.setHeader('content-disposition', `attachment; filename="${name}.${found.extension}"`);
    answer.send(200, 'application/json', profile);
  };
}

/** @throws StatusError BadRequest */
function secondsOf(text = ''): number {
  if (text === '') return USUAL;
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= LONGEST)) throw newBadRequest(`seconds must be a number above 0 and at most ${LONGEST}`);
  return seconds;
}

/** Bytes of a number. */
const MOST_DIGITS = 16;

/** PUT of a number, as the flag -v has it. @param set how much is logged, by all processes of the server */
export function verbosityHandler(set: (verbosity: number) => void) {
  return async (context: Context): Promise<void> => {
    if (context.method !== 'PUT') throw newMethodNotAllowed();
    const text = (await shortBody(context.req)).trim();
    if (!/^\d+$/.test(text)) throw newBadRequest(`failed to set the verbosity ${JSON.stringify(text)}: a whole number is needed`);
    set(Number(text));
    answerOf(context).send(200, 'text/plain; charset=utf-8', `successfully set klog.logging.verbosity to ${text}`);
  };
}

/** What is longer is read to its end, so that the connection goes on. @throws StatusError BadRequest */
async function shortBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) if (text.length <= MOST_DIGITS) text += chunk;
  if (text.length > MOST_DIGITS) throw newBadRequest('a number is needed, and nothing else');
  return text;
}
