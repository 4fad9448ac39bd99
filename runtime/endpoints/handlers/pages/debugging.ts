/** What administrators look at and change while the server runs, below /debug: profiles, and how much it logs. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { type LogLevels, parseModuleLevels } from '../../../observability/log-levels.ts';
import type { ProfileKind, Profiler } from '../../../observability/profiler.ts';
import { newBadRequest, newMethodNotAllowed, newTooManyRequests } from '../../../status/status.ts';
import { requestOf } from '../../request/client-request.ts';

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

/** Makes the handler for the paths below `/debug/pprof/`, whose names choose a profile. */
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

/** Sets the log levels of all processes of a server. Members that are absent do not change. */
export type SetLogLevels = (levels: Partial<LogLevels>) => void;

interface LogFlag {
  /** the name in answers */
  readonly shown: string;
  /** Reads a value. @throws Error that tells what is wrong with it */
  read(text: string): Partial<LogLevels>;
}

/** Flags that say how much is logged, with what reads them. */
const LOG_FLAGS: Readonly<Record<string, LogFlag>> = {
  v: {
    shown: 'klog.logging.verbosity',
    read(text) {
      if (!/^\d{1,9}$/.test(text)) throw new Error(`parsing ${JSON.stringify(text)}: a whole number is needed`);
      return { verbosity: Number(text) };
    },
  },
  vmodule: { shown: 'vmodule', read: (text) => ({ modules: parseModuleLevels(text.split(',')) }) },
};

/** PUT of a flag's value below /debug/flags/, by the flag's name. It answers in plain text, as 1.32 does. */
export function logFlagHandler(set: SetLogLevels) {
  return async (context: Context): Promise<void> => {
    const say = (status: number, text: string): void => {
      context.res.setHeader('x-content-type-options', 'nosniff');
      answerOf(context).send(status, 'text/plain', `${text}\n`);
    };
    const { name = '' } = context.params as { name?: string };
    const flag = Object.hasOwn(LOG_FLAGS, name) ? LOG_FLAGS[name] : undefined;
    if (flag === undefined) return say(404, 'Unknown flag');
    if (context.method !== 'PUT') return say(406, 'unsupported http method');
    const text = (await shortBody(context.req))?.trim();
    if (text === undefined) return say(400, 'the value of a flag is needed, and nothing else');
    let levels: Partial<LogLevels>;
    try {
      levels = flag.read(text);
    } catch (error) {
      return say(400, `failed set ${flag.shown} ${text}: ${(error as Error).message}`);
    }
    set(levels);
    say(200, `successfully set ${flag.shown} to ${text}`);
  };
}

/** The most characters of a flag's value. */
const MOST = 4_096;

/** Reads a body to its end, so that the connection can go on. @returns undefined if it is too long */
async function shortBody(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of request) if (text.length <= MOST) text += chunk;
  return text.length > MOST ? undefined : text;
}
