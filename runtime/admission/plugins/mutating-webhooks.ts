/** MutatingAdmissionWebhook: webhooks that a request is for are asked one after the other, and each sees what those before it have changed. */
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { Rounds } from '../request/rounds.ts';
import { ConfiguredWebhooks } from '../webhooks/configured-webhooks.ts';
import type { MutatingDispatcher } from '../webhooks/mutating-dispatcher.ts';
import type { WebhookCredentials } from '../webhooks/webhook-credentials.ts';

const NAME = 'MutatingAdmissionWebhook';

export function mutatingWebhooks(parts: PluginParts): AdmissionPlugin {
  const credentials = parts.configuration(NAME) as WebhookCredentials | undefined;
  let dispatcher: MutatingDispatcher | undefined;
  const load = async (): Promise<MutatingDispatcher> => {
    const loaded = await import('../webhooks/mutating-dispatcher.ts');
    dispatcher ??= new loaded.MutatingDispatcher(parts, credentials);
    return dispatcher;
  };
  const configured = new ConfiguredWebhooks(parts.followed('mutatingwebhookconfigurations'), (webhooks) => dispatcher?.keep(webhooks));
  return {
    mutate(attributes, rounds = new Rounds()) {
      const candidates = configured.candidates(attributes);
      if (candidates.length === 0) return;
      if (dispatcher !== undefined) return dispatcher.dispatch(candidates, attributes, rounds);
      return load().then((loaded) => loaded.dispatch(candidates, attributes, rounds));
    },
    close: () => dispatcher?.keep([]),
  };
}
