/** Writes records of the log as lines, in both forms of 1.32. */
import { goQuote } from '../../go-text/quote.ts';
import type { Caller } from './log-caller.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The smallest value of -v with which records of a level are written, as in 1.32. */
export const VERBOSITY: Readonly<Record<LogLevel, number>> = { debug: 3, info: 1, warn: 0, error: 0 };

export interface LogRecord {
  readonly level: LogLevel;
  readonly time: Date;
  readonly caller: Caller;
  readonly message: string;
  /** text, numbers and what is made of these; nothing of them is a secret */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type LogFormat = 'text' | 'json';

/** Writes a record as a line, including the line end. */
export const lineOf: Readonly<Record<LogFormat, (record: LogRecord) => string>> = { text: textLine, json: jsonLine };

/** Writes a record as 1.32 does, where errors have no `v`, and adds the level and the process, because several processes may write to the same log. */
function jsonLine({ level, time, caller, message, fields }: LogRecord): string {
  const { file, line } = caller;
  const head = {
    ts: time.getTime(),
    caller: `${file.split('/').slice(-2).join('/')}:${line}`,
    msg: message,
    ...(level !== 'error' && { v: VERBOSITY[level] }),
    level,
    pid: process.pid,
  };
  // what a line says of itself no field takes the place of
  return `${JSON.stringify({ ...head, ...fields, ...head })}\n`;
}

const LETTERS: Readonly<Record<LogLevel, string>> = { debug: 'I', info: 'I', warn: 'W', error: 'E' };

/** `I1126 08:30:34.123000   12345 file.ts:17] "message" key="value"` */
function textLine({ level, time, caller, message, fields }: LogRecord): string {
  const date = `${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}000`;
  const file = caller.file.slice(caller.file.lastIndexOf('/') + 1);
  const pairs = Object.entries(fields).map(([name, value]) => pairOf(name, value));
  return `${LETTERS[level]}${date} ${clock} ${String(process.pid).padStart(7)} ${file}:${caller.line}] ${goQuote(message)}${pairs.join('')}\n`;
}

const two = (value: number): string => String(value).padStart(2, '0');

function pairOf(name: string, value: unknown): string {
  if (typeof value !== 'string') {
    const shown = JSON.stringify(value);
    return shown === undefined ? '' : ` ${name}=${shown}`;
  }
  if (!value.includes('\n')) return ` ${name}=${goQuote(value)}`;
  const lines = value.replace(/\n$/, '').split('\n');
  return ` ${name}=<\n${lines.map((line) => `\t${line}\n`).join('')} >`;
}
