import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import type { Identity } from '../../../contract/identity.ts';
import { goQuote } from '../../../go-text/quote.ts';
import type { HealthMetrics } from '../../../observability/health-metrics.ts';
import type { Log } from '../../../observability/log.ts';
import { requestOf } from '../../request/client-request.ts';
import type { MeasuredRequests } from '../../request/measured-requests.ts';
import { notFoundPage } from '../resource.ts';

/** One thing that must hold; says what is wrong when it does not. */
export interface HealthCheck {
  readonly name: string;
  /** @returns undefined when all is well, else a reason for the log and for people */
  check(): string | undefined;
}

export interface HealthChecks {
  /** Returns the checks of an endpoint: `healthz`, `livez` or `readyz`. */
  of(endpoint: string): readonly HealthCheck[];
}

/** /healthz, /livez, /readyz and one check below each (specification: Health endpoints), whose name may have slashes. Any method, always plain text. */
/** What the handlers need of the server. */
export interface HealthServer {
  readonly identity: Identity;
  readonly log: Log;
  /** absent if nobody counts requests */
  readonly measured?: Pick<MeasuredRequests, 'path'>;
}

export function healthHandler(server: HealthServer, checks: HealthChecks, endpoint: string, metrics: HealthMetrics) {
  const measure = server.measured?.path(`/${endpoint}`);
  return (context: Context): void => {
    const { info } = requestOf(context);
    const all = checks.of(endpoint);
    const single = info.path.slice(`/${endpoint}`.length);
    if (single !== '') return sendSingle(context, all, single.slice(1));
    measure?.(requestOf(context));
    const excluded = new Set(info.query.all('exclude'));
    const lines: string[] = [];
    let failed = false;
    for (const { name, check } of all) {
      if (excluded.delete(name)) {
        lines.push(`[+]${name} excluded: ok`);
        continue;
      }
      const problem = check();
      metrics.record(name, endpoint, problem === undefined);
      if (problem === undefined) lines.push(`[+]${name} ok`);
      else {
        failed = true;
        server.log.info({ check: name, problem }, 'a health check failed');
        lines.push(`[-]${name} failed: reason withheld`);
      }
    }
    if (excluded.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${quoted(excluded)}`);
    const name = server.identity.healthPassedName ?? endpoint;
    if (failed) return send(context, 500, `${lines.join('\n')}\n${name} check failed\n`);
    const verbose = info.query.has('verbose');
    send(context, 200, verbose ? `${lines.join('\n')}\n${name} check passed\n` : 'ok');
  };
}

function quoted(names: Iterable<string>): string {
  return [...names].sort().map(goQuote).join(',');
}

function sendSingle(context: Context, all: readonly HealthCheck[], name: string): void {
  const found = all.find((check) => check.name === name);
  if (found === undefined) return notFoundPage(context);
  const problem = found.check();
  if (problem === undefined) answerOf(context).send(200, 'text/plain; charset=utf-8', 'ok');
  // who may ask for one check may know its reason (as in 1.32): that takes another right than asking for all
  else send(context, 500, `internal server error: ${problem}\n`);
}

function send(context: Context, status: number, text: string): void {
  context.res.setHeader('x-content-type-options', 'nosniff');
  answerOf(context).send(status, 'text/plain; charset=utf-8', text);
}
