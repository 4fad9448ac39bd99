import type { Event } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { goTime } from '../../go-text/times.ts';
import { deepEqual } from '../../schema/equal.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { invalidAs, needed } from '../findings.ts';

/** The version of the core group. */
const CORE = 'v1';

/** An event about something in a namespace is in that namespace; those about the cluster are in the default one, or in the system's. */
export function isAboutOwnNamespace(
  about: string,
  _old: unknown,
  context: RuleContext,
  _scope: unknown,
  { metadata, eventTime }: Event,
): boolean {
  const namespace = metadata.namespace ?? '';
  if (eventTime) return about !== '' || namespace === 'default' || namespace === context.text('${systemNamespace}');
  return about === '' ? namespace === '' || namespace === 'default' : about === namespace;
}

/** Who reports has names in two forms: the core group, and the hub, call the controller `reportingComponent`. */
export function reporter({ reportingComponent: name = '' }: Event, _old: unknown, { request }: RuleContext): readonly FieldError[] {
  const path = request.version === CORE ? '.reportingComponent' : '.reportingController';
  return joined(needed(name, path), invalidAs(qualifiedName(name), path, name));
}

/** In v1 of the group of events, whose writers are all new, an event is more than it has to be in older versions. */
const isStrict = ({ request: { version } }: RuleContext): boolean => version !== CORE && version.endsWith('/v1');

/** An event of the newer form has nothing of the older one. */
export function newForm(event: Event, _old: unknown, context: RuleContext): readonly FieldError[] {
  if (!isStrict(context)) return NONE;
  const { eventTime, type = '', firstTimestamp, lastTimestamp, count, source } = event;
  const older = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  return [
    ...seriesErrors(event),
    ...needed(eventTime, '.eventTime'),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('.type', '', `has invalid value: ${type}`)]),
    ...Object.entries(older).flatMap(([member, value]) => (value ? [invalid(`.${member}`, '', 'needs to be unset')] : [])),
  ];
}

function seriesErrors({ series }: Event): readonly FieldError[] {
  if (series === undefined) return NONE;
  return joined(
    (series.count ?? 0) < 2 ? [invalid('.series.count', '', 'should be at least 2')] : NONE,
    needed(series.lastObservedTime, '.series.lastObservedTime'),
  );
}

/** In the order in which 1.32 compares them, the reason twice; only the series of an event goes on. */
const FIXED = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

export function fixed(event: Event, old: Event | undefined, context: RuleContext): readonly FieldError[] {
  if (old === undefined || !isStrict(context)) return NONE;
  return [
    ...(deepEqual(event.series, old.series) ? NONE : seriesErrors(event)),
    ...FIXED.filter((member) => !deepEqual(event[member], old[member])).map((member) => {
      const name = member === 'reportingComponent' ? 'reportingController' : member;
      return invalid(`.${name}`, shown(event, member), 'field is immutable');
    }),
  ];
}

const TIMES: readonly string[] = ['firstTimestamp', 'lastTimestamp', 'eventTime'];

function shown(event: Event, member: (typeof FIXED)[number]): unknown {
  const value = event[member];
  if (TIMES.includes(member)) return new Notation(goTime(value as Event['eventTime']));
  if (member === 'related') return value; // a pointer of 1.32, which shows that there is none
  return value ?? (member === 'count' ? 0 : '');
}

export const rules: KindRules<Event> = {
  selectableField: ({ source, reportingComponent }, path) =>
    path === 'source' ? source?.component || reportingComponent || '' : undefined,
};
