/** ValidatingAdmissionWebhook: all webhooks that a request is for are asked at the same time, and one that refuses is enough. */
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { ConfiguredWebhooks } from '../webhooks/configured-webhooks.ts';
import type { ValidatingDispatcher } from '../webhooks/validating-dispatcher.ts';
import type { WebhookCredentials } from '../webhooks/webhook-credentials.ts';

const NAME = 'ValidatingAdmissionWebhook';

export function validatingWebhooks(parts: PluginParts): AdmissionPlugin {
  const credentials = parts.configuration(NAME) as WebhookCredentials | undefined;
  let dispatcher: ValidatingDispatcher | undefined;
  const load = async (): Promise<ValidatingDispatcher> => {
    const loaded = await import('../webhooks/validating-dispatcher.ts');
    dispatcher ??= new loaded.ValidatingDispatcher(parts, credentials);
    return dispatcher;
  };
  const configured = new ConfiguredWebhooks(parts.followed('validatingwebhookconfigurations'), (webhooks) => dispatcher?.keep(webhooks));
  return {
    validate(attributes) {
      const candidates = configured.candidates(attributes);
      if (candidates.length === 0) return;
      if (dispatcher !== undefined) return dispatcher.dispatch(candidates, attributes);
      return load().then((loaded) => loaded.dispatch(candidates, attributes));
    },
    close: () => dispatcher?.keep([]),
  };
}
