// The agent that Viva is measured beside: the smallest voice agent on LiveKit's framework for Node, every option left at its
// default (VAD and turn detector that come with the framework, preemptive generation, interruption by voice activity).
//
// Two options are not default:
//   - recognition uses the transcriptions endpoint (the plugin's default is a realtime WebSocket, which the stub does not speak);
//   - the worker reports no load. By default it reports the CPU use of the whole machine, which here runs the server, the stub and
//     the candidates too; LiveKit dispatches nothing from 0.7 on, and half of the rooms would stay empty.
// The greeting says Viva's words, so that both voices have as much to say.
//
// Job metadata {"turn":"vad"} leaves out the turn detector: a turn then ends by voice activity alone.
import { fileURLToPath } from 'node:url';

import { ServerOptions, cli, defineAgent, voice } from '@livekit/agents';
import * as openai from '@livekit/agents-plugin-openai';

const greeting = 'Hello, nice to meet you. What are you working on these days?';
const instructions = 'You are a friendly interviewer. Ask one short question about what was said. Never repeat a question.';

// OPENAI_BASE_URL and OPENAI_API_KEY name the service; the plugins are told explicitly, since not each of them reads both.
function provider() {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env;
  if (!baseURL || !apiKey) throw new Error('set OPENAI_BASE_URL and OPENAI_API_KEY');
  return { baseURL, apiKey };
}

// A job without metadata, or with somebody else's, is held with the defaults.
function turnHandling(metadata) {
  try {
    return JSON.parse(metadata).turn === 'vad' ? { turnHandling: { turnDetection: 'vad' } } : {};
  } catch {
    return {};
  }
}

export default defineAgent({
  entry: async (context) => {
    const service = provider();
    const session = new voice.AgentSession({
      stt: new openai.STT({ ...service, useRealtime: false }),
      llm: new openai.LLM(service),
      tts: new openai.TTS(service),
      ...turnHandling(context.job.metadata),
    });
    await session.start({ agent: new voice.Agent({ instructions }), room: context.room });
    session.say(greeting);
  },
});

cli.runApp(new ServerOptions({
  agent: fileURLToPath(import.meta.url),
  agentName: 'peer',
  loadFunc: async () => 0,
  host: '127.0.0.1',
  port: Number(process.env.PEER_HEALTH_PORT),
}));
