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
      return valueTarget(metric.external?.target, status?.external?.current);
    case 'Object':
      return valueTarget(metric.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current?.averageValue ?? UNKNOWN}/${metric.pods?.target?.averageValue ?? UNKNOWN}`;
    case 'Resource':
      return resourceTarget(metric.resource, status?.resource?.current);
    case 'ContainerResource':
      return resourceTarget(metric.containerResource, status?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

function valueTarget(wanted: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (wanted?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${wanted.averageValue} (avg)`;
  return `${current?.value ?? UNKNOWN}/${wanted?.value ?? UNKNOWN}`;
}

function resourceTarget(source: MetricSpec['resource'], current: MetricValueStatus | undefined): string {
  const { averageValue, averageUtilization } = source?.target ?? {};
  if (averageValue !== undefined) return `${source?.name}: ${current?.averageValue ?? UNKNOWN}/${averageValue}`;
  return `${source?.name}: ${percent(current?.averageUtilization) ?? UNKNOWN}/${percent(averageUtilization) ?? '<auto>'}`;
}

function percent(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}%`;
}
