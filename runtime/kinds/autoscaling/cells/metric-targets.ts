import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../../generated/autoscaling/v2/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

const SHOWN = 2;
const UNKNOWN = '<unknown>';

/** What 1.32 prints where something was measured, but not what the target asks for. */
const NO_QUANTITY = '<nil>';

/** Each metric's present value and its target, such as `cpu: 30%/80%`; of more than two metrics the number of the others. */
export const cell: CellFunction<HorizontalPodAutoscaler> = ({ spec, status }) => {
  const metrics = spec?.metrics ?? [];
  const shown = metrics.slice(0, SHOWN).map((metric, index) => target(metric, status?.currentMetrics?.[index]));
  const more = metrics.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` + ${more} more...` : '');
};

function target(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'External':
      return valueTarget(metric.external?.target, status?.external);
    case 'Object':
      return valueTarget(metric.object?.target, status?.object);
    case 'Pods':
      return `${measured(status?.pods, 'averageValue')}/${metric.pods?.target?.averageValue ?? NO_QUANTITY}`;
    case 'Resource':
      return resourceTarget(metric.resource, status?.resource);
    case 'ContainerResource':
      return resourceTarget(metric.containerResource, status?.containerResource);
    default:
      return '<unknown type>';
  }
}

interface Measurement {
  readonly current?: MetricValueStatus;
}

function valueTarget(wanted: MetricTarget | undefined, measurement: Measurement | undefined): string {
  if (wanted?.averageValue !== undefined) return `${measurement?.current?.averageValue ?? UNKNOWN}/${wanted.averageValue} (avg)`;
  return `${measured(measurement, 'value')}/${wanted?.value ?? NO_QUANTITY}`;
}

function measured(measurement: Measurement | undefined, member: 'value' | 'averageValue'): string {
  return measurement === undefined ? UNKNOWN : (measurement.current?.[member] ?? NO_QUANTITY);
}

function resourceTarget(source: MetricSpec['resource'], measurement: Measurement | undefined): string {
  const { averageValue, averageUtilization } = source?.target ?? {};
  if (averageValue !== undefined) return `${source?.name}: ${measured(measurement, 'averageValue')}/${averageValue}`;
  return `${source?.name}: ${percent(measurement?.current?.averageUtilization) ?? UNKNOWN}/${percent(averageUtilization) ?? '<auto>'}`;
}

function percent(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}%`;
}
