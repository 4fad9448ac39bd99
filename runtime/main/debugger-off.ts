import type { Log } from '../observability/log.ts';

/**
 * By SIGUSR1, which programs that rotate logs send, Node would open its debugger on a port of loopback, where every user of the machine could take over the
 * process with all its keys. The signal has no effect instead. Who wants a debugger starts the program with `--inspect`.
 */
export function keepDebuggerOff(log: Pick<Log, 'warn'>): void {
  process.on('SIGUSR1', () => log.warn({}, 'SIGUSR1 has no effect: to debug the program, start it with --inspect'));
}
