/** Probes and lifecycle hooks of containers: both name one action. */

import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { httpHeaderName } from '../../formats/keys.ts';
import { portName, portNumber } from '../../formats/ports.ts';
import { numeric } from '../../schema/raw-number.ts';
import { foundInEach, joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { invalidAs, needed } from './findings.ts';
import { notNegative } from './numbers.ts';

const HOOKS = ['postStart', 'preStop'];
const PROBE_COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** @param gracePeriod seconds that the pod has to end; undefined where its spec is wrong about them */
export function validateLifecycle(lifecycle: Struct, gracePeriod: unknown, path: string): readonly FieldError[] {
  if (!lifecycle) return NONE;
  return HOOKS.flatMap((hook) => (lifecycle[hook] === undefined ? NONE : validateHandler(lifecycle[hook], gracePeriod, `${path}.${hook}`)));
}

/** All three probes of a container. */
export function validateProbes(container: Struct, path: string): readonly FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return joined(
    livenessProbe === undefined ? NONE : validateRestartingProbe(livenessProbe, `${path}.livenessProbe`),
    readinessProbe === undefined ? NONE : validateReadinessProbe(readinessProbe, `${path}.readinessProbe`),
    startupProbe === undefined ? NONE : validateRestartingProbe(startupProbe, `${path}.startupProbe`),
  );
}

function validateRestartingProbe(probe: Struct, path: string): readonly FieldError[] {
  const { successThreshold = 0 } = probe;
  const errors = [...validateProbe(probe, path)];
  if (successThreshold !== 1) errors.push(invalid(`${path}.successThreshold`, successThreshold, 'must be 1'));
  return errors;
}

function validateReadinessProbe(probe: Struct, path: string): readonly FieldError[] {
  const { terminationGracePeriodSeconds: period } = probe;
  const errors = [...validateProbe(probe, path)];
  if (period !== undefined) errors.push(invalid(`${path}.terminationGracePeriodSeconds`, period, 'must not be set for readinessProbes'));
  return errors;
}

function validateProbe(probe: Struct, path: string): readonly FieldError[] {
  const { terminationGracePeriodSeconds: period } = probe;
  return joined(
    validateHandler(probe, undefined, path),
    foundInEach(PROBE_COUNTS, (count) => notNegative(probe[count], `${path}.${count}`)),
    period !== undefined && numeric(period) <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, period, 'must be greater than 0')]
      : NONE,
  );
}

type Action = (action: Struct, path: string, gracePeriod: unknown) => readonly FieldError[];

/** In the order in which a second action is found to be one too many. */
const ACTIONS: Readonly<Record<string, Action>> = {
  exec: ({ command }, path) => ((command ?? []).length === 0 ? [required(`${path}.command`)] : []),
  httpGet: validateHttpGet,
  tcpSocket: ({ port }, path) => validatePort(port, `${path}.port`),
  grpc: ({ port }, path) => validatePort(port, `${path}.port`),
  sleep: ({ seconds }, path, gracePeriod) => validateSleep(seconds, path, gracePeriod),
};

const ACTION_NAMES = Object.keys(ACTIONS);

function validateHandler(handler: Struct, gracePeriod: unknown, path: string): readonly FieldError[] {
  const actions = ACTION_NAMES.filter((name) => handler[name] !== undefined);
  const [first, ...others] = actions;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return joined(
    (ACTIONS[first] as Action)(handler[first], `${path}.${first}`, gracePeriod),
    others.map((name) => forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
  );
}

function validateHttpGet({ path: urlPath, port, scheme = '', httpHeaders }: Struct, path: string): readonly FieldError[] {
  return joined(
    needed(urlPath, `${path}.path`),
    validatePort(port, `${path}.port`),
    scheme === 'HTTP' || scheme === 'HTTPS' ? NONE : [notSupported(`${path}.scheme`, scheme, ['HTTP', 'HTTPS'])],
    ((httpHeaders ?? []) as readonly Struct[]).flatMap(({ name = '' }) => invalidAs(httpHeaderName(name), `${path}.httpHeaders`, name)),
  );
}

/** A port's number, or the name of one of the container's ports. */
export function validatePort(port: number | string | undefined, path: string): readonly FieldError[] {
  return typeof port === 'string' ? invalidAs(portName(port), path, port) : invalidAs(portNumber(port), path, port ?? 0);
}

function validateSleep(seconds: unknown, path: string, gracePeriod: unknown): readonly FieldError[] {
  if (gracePeriod === undefined) return NONE;
  const sleep = numeric(seconds);
  if (sleep > 0 && sleep <= numeric(gracePeriod)) return NONE;
  const limits = `must be greater than 0 and less than terminationGracePeriodSeconds (${numeric(gracePeriod)})`;
  return [invalid(path, seconds ?? 0, `${limits}. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`)];
}
