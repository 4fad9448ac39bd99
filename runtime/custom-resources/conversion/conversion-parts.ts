/** What is known of the conversion of a custom resource, and what it uses of the server. */

import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { FindService, WebhookPlace } from '../../outbound/webhook-client.ts';

/** As definitions say it. */
export interface CustomConversion {
  readonly strategy: 'None' | 'Webhook';
  readonly webhook?: {
    readonly clientConfig?: WebhookPlace;
    /** of the reviews that the webhook understands; the first that this server speaks is sent */
    readonly conversionReviewVersions: readonly string[] | null;
  };
}

/** What is converted. */
export interface ConvertedResource {
  /** of the definition, such as `widgets.shop.example` */
  readonly name: string;
  readonly group: string;
  /** names of all, served or not */
  readonly versions: readonly string[];
}

export interface ConversionParts {
  /** group of the reviews that are sent */
  readonly reviewGroup: string;
  readonly findService: FindService;
  readonly egress?: Egress | undefined;
  readonly metrics: Metrics;
  /** whether answers that take long are read here: others wait for this thread otherwise */
  readonly mayTakeLong: boolean;
}
