import { type FieldError, forbidden, invalid, notSupported } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { numberText } from '../../schema/raw-number.ts';

/** Reading one of the two streams alone is in its alpha. */
const STREAMS_GATE = 'PodLogsQuerySplitStreams';
const STREAMS = ['All', 'Stderr', 'Stdout'];

export const rules: KindRules = {
  validate(options, context) {
    return [...numbers(options), ...(context.featureEnabled(STREAMS_GATE) ? stream(options) : noStream(options))];
  },
};

function numbers({ tailLines, limitBytes, sinceSeconds, sinceTime }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (below(tailLines, 0)) errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (below(limitBytes, 1)) errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (below(sinceSeconds, 1)) errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  return errors;
}

function below(value: unknown, least: number): boolean {
  return value !== undefined && Number(numberText(value)) < least;
}

function stream({ stream = 'All', tailLines }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (!STREAMS.includes(stream)) errors.push(notSupported('stream', stream, STREAMS));
  if (stream !== 'All' && tailLines !== undefined)
    errors.push(forbidden('', '`tailLines` and specific `stream` are mutually exclusive for now'));
  return errors;
}

function noStream({ stream }: ApiObject): FieldError[] {
  return stream === undefined ? [] : [forbidden('stream', 'may not be specified')];
}
