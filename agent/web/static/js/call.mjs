// One stay in a room: joining, the interviewer's presence and words, the own microphone, typed answers, leaving.
// Knows LiveKit, knows no DOM beyond the audio elements it is given a place for.

import { TOPIC as TRANSCRIPTION } from './transcript.mjs';
import { castOf, noticeOf, personasOf, receiptOf } from './cast.mjs';
import { interviewOf, taskOf } from './interview.mjs';
import { LIMIT as REPORT_LIMIT, TOPIC as REPORT, reportOf } from './report.mjs';
import { t } from './words.mjs';

const CHAT = 'lk.chat';
const TURN = 'viva.turn'; // push to talk: {"type": "press"} and {"type": "release"}
const CODE = 'viva.code'; // the candidate's code: {"text": …, "language": …}
const PROBLEM = 'viva.problem'; // the task, from the interviewer; an empty packet asks for it
const PERSONAS = 'viva.personas'; // the menu of interviewers; an empty packet asks for it
const PERSONA = 'viva.persona'; // the candidate's choice: {"id": …}
const MATERIAL = 'viva.material'; // a document, as a byte stream, and what became of it
const NOTICE = 'viva.notice'; // what was not taken of what the page sent, once for each kind: {"kind": …, "text": …}
const MEND = 'viva.mend'; // what the candidate said, where it was misheard: {"segment": …, "text": …}
const CONSENT = 'viva.consent'; // to a recording: {"recording": true}, or false to take it back
const AGAIN = 'viva.again'; // attribute of a message that an interviewer who has gone may not have taken
const ASK_EVERY = 2_000; // ms
const ON_BEHALF = 'lk.publish_on_behalf'; // on an avatar's worker, which is of kind agent but not the agent
const AGENT_LIMIT = 20_000; // ms until a missing interviewer is reported; what LiveKit's own front ends allow

// After this long (ms) without a connection it is given up and the person is asked: somewhat longer than interviewers wait.
const RECONNECT_LIMIT = 25_000;
const reconnectPolicy = {
  nextRetryDelayInMs: ({ retryCount, elapsedMs }) => (
    elapsedMs > RECONNECT_LIMIT ? null : Math.min(300 * retryCount * retryCount, 4000) + Math.random() * 300
  ),
};

// Handlers, all required:
//   connection(state)      'connected' | 'reconnecting'
//   agent(presence)        'here' | 'late' | 'left'
//   interview(state)       see interviewOf
//   task(task)             see taskOf
//   cast(state)            see castOf
//   personas(list)         see personasOf
//   receipt(receipt)       see receiptOf
//   notice(notice)         see noticeOf
//   report(report)         see reportOf
//   speaking({agent, you}) who is heard now
//   stream(info, who)      a transcription begins; returns { add, close }
//   told(isTold)           the code was told again, after a reconnect or to another interviewer
//   muted(isMuted)
//   playback(isAllowed)    whether the browser plays sound without a click
//   microphone(error)      the microphone failed during the interview
//   ended(reason)          'left' | 'elsewhere' | 'closed' | 'lost'; nothing comes after it
export class Call {
  #lk;
  #room;
  #on;
  #audio;
  #agent = null;
  #late;
  #over = false;
  #leaving = false;
  #talking = { wanted: false, told: false }; // push to talk: what is, and what the interviewer knows
  #asked = -Infinity; // when the task was asked for
  #askedMenu = -Infinity; // when the menu was asked for
  #code = { wanted: null, told: null }; // payloads: the newest, and what the interviewer has
  #telling = Promise.resolve();
  #met = false; // an interviewer was here
  #typed = []; // what no interviewer has spoken after: { text, to }

  constructor(livekit, audioPlace, handlers) {
    this.#lk = livekit;
    this.#on = handlers;
    this.#audio = audioPlace;
    this.#room = new livekit.Room({
      // A reload must not look like leaving: the interviewer ends when a candidate leaves on purpose.
      disconnectOnPageLeave: false,
      reconnectPolicy,
      publishDefaults: { audioPreset: livekit.AudioPresets.speech, dtx: true },
    });
    this.#listen();
  }

  // join connects and, unless `typing`, publishes the microphone. Rejects when the room cannot be reached.
  async join({ url, token, deviceId, typing }) {
    try {
      await this.#room.connect(url, token);
    } catch (error) {
      this.#end('failed');
      throw new Error(t('The interview server at {url} could not be reached ({reason}).', { url, reason: error.message }));
    }
    if (this.#over) return;
    this.#on.connection('connected');
    this.#on.playback(this.#room.canPlaybackAudio);
    this.#expectAgent();
    this.#room.remoteParticipants.forEach((p) => this.#arrived(p));
    if (typing) this.#on.muted(true);
    else await this.setMuted(false, deviceId);
  }

  get isMuted() {
    return !this.#room.localParticipant.isMicrophoneEnabled;
  }

  // setMuted never rejects; trouble goes to handlers.microphone.
  async setMuted(muted, deviceId) {
    const constraints = deviceId ? { deviceId: { exact: deviceId } } : undefined;
    try {
      await this.#room.localParticipant.setMicrophoneEnabled(!muted, constraints);
    } catch (error) {
      if (!this.#over) this.#on.microphone(error);
    }
    if (!this.#over) this.#on.muted(this.isMuted);
  }

  // say sends what was typed. Whether an interviewer who dies had taken it is not known: it is sent again to the next one, who does.
  async say(text) {
    const to = this.#agent?.identity;
    await this.#room.localParticipant.sendText(text, { topic: CHAT, destinationIdentities: to ? [to] : undefined });
    if (this.#met) this.#typed.push({ text, to });
  }

  async #sayAgain(identity) {
    const typed = this.#typed.filter(({ to }) => to !== identity);
    this.#typed = this.#typed.filter(({ to }) => to === identity); // typed over its voice, and it is here: it has that
    for (const { text } of typed) {
      try {
        await this.#room.localParticipant.sendText(text, { topic: CHAT, destinationIdentities: [identity], attributes: { [AGAIN]: 'true' } });
      } catch { /* not connected: it stands in the transcript, and the person can see that nobody answers */ }
    }
  }

  // talk tells the interviewer that the button to talk went down or up, in order. What cannot be told now is told once the
  // connection is back. The microphone stays published: the interviewer does not listen meanwhile.
  talk(isDown) {
    this.#talking.wanted = isDown;
    this.#telling = this.#telling.then(() => this.#tell(isDown));
    return this.#telling;
  }

  async #tell(isDown) {
    if (this.#over || isDown === this.#talking.told) return;
    const payload = new TextEncoder().encode(JSON.stringify({ type: isDown ? 'press' : 'release' }));
    try {
      await this.#room.localParticipant.publishData(payload, {
        reliable: true, topic: TURN, destinationIdentities: this.#agent ? [this.#agent.identity] : undefined,
      });
      this.#talking.told = isDown;
    } catch { /* not connected: #restored tells */ }
  }

  // code tells the interviewer what the candidate has written: encoded, the newest only. Resolves to whether it was told; if not,
  // it is told once the interviewer is there and the connection is back.
  code(payload) {
    this.#code.wanted = payload;
    this.#telling = this.#telling.then(() => this.#tellCode());
    return this.#telling;
  }

  async #tellCode() {
    const payload = this.#code.wanted;
    if (payload === null || payload === this.#code.told) return true;
    if (this.#over || !this.#agent) return false;
    try {
      await this.#room.localParticipant.publishData(payload, {
        reliable: true, topic: CODE, destinationIdentities: [this.#agent.identity],
      });
      this.#code.told = payload;
      return true;
    } catch {
      return false; // not connected: #restored tells
    }
  }

  // mend tells what the candidate said with the words of a segment. Rejects when it cannot be told.
  async mend(segment, text) {
    if (this.#over || !this.#agent) throw new Error('the interviewer is not here');
    await this.#room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify({ segment, text })), {
      reliable: true, topic: MEND, destinationIdentities: [this.#agent.identity],
    });
  }

  // consent agrees to a recording, or takes that back. Rejects when it cannot be told.
  async consent(isGiven) {
    if (this.#over || !this.#agent) throw new Error('the interviewer is not here');
    await this.#room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify({ recording: isGiven })), {
      reliable: true, topic: CONSENT, destinationIdentities: [this.#agent.identity],
    });
  }

  // askTask asks the interviewer for a task that was missed, not too often.
  askTask(now = performance.now()) {
    if (this.#over || !this.#agent || now - this.#asked < ASK_EVERY) return;
    this.#asked = now;
    this.#room.localParticipant.publishData(new Uint8Array(), {
      reliable: true, topic: PROBLEM, destinationIdentities: [this.#agent.identity],
    }).catch(() => {}); // not connected: what the interviewer shows next asks again
  }

  // askMenu asks the interviewer for a menu that was missed, not too often.
  askMenu(now = performance.now()) {
    if (this.#over || !this.#agent || now - this.#askedMenu < ASK_EVERY) return;
    this.#askedMenu = now;
    this.#room.localParticipant.publishData(new Uint8Array(), {
      reliable: true, topic: PERSONAS, destinationIdentities: [this.#agent.identity],
    }).catch(() => {}); // not connected: what the interviewer shows next asks again
  }

  // choose tells the interviewer whom the candidate wants to talk to. Resolves to whether it was told.
  async choose(id) {
    if (this.#over || !this.#agent) return false;
    try {
      await this.#room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify({ id })), {
        reliable: true, topic: PERSONA, destinationIdentities: [this.#agent.identity],
      });
      return true;
    } catch {
      return false;
    }
  }

  // handIn sends a document: kind is resume or job_description. Resolves to whether it was sent; what became of it comes to
  // handlers.receipt.
  async handIn(kind, file) {
    if (this.#over || !this.#agent) return false;
    try {
      await this.#room.localParticipant.sendBytes(new Uint8Array(await file.arrayBuffer()), {
        topic: MATERIAL, name: file.name, mimeType: file.type || 'application/octet-stream', attributes: { kind, name: file.name.slice(0, 100) },
        destinationIdentities: [this.#agent.identity], compress: false, // interviewers take it as it is
      });
      return true;
    } catch {
      return false;
    }
  }

  // What was on its way when a connection broke may be lost, so the code is told again.
  #restored() {
    this.#on.connection('connected');
    this.talk(this.#talking.wanted);
    this.#tellCodeAgain();
  }

  #tellCodeAgain() {
    this.#code.told = null;
    if (this.#code.wanted !== null) this.code(this.#code.wanted).then((isTold) => !this.#over && this.#on.told(isTold));
  }

  // allowSound must be called from a click.
  async allowSound() {
    await this.#room.startAudio().catch(() => {}); // still blocked: the handler keeps the button
    this.#on.playback(this.#room.canPlaybackAudio);
  }

  // leave ends the stay on purpose. handlers.ended is called with 'left'.
  async leave() {
    this.#leaving = true;
    await this.#room.disconnect();
    this.#end('left');
  }

  #listen() {
    const { RoomEvent, Track } = this.#lk;
    this.#room
      .on(RoomEvent.ParticipantConnected, (p) => this.#arrived(p))
      .on(RoomEvent.ParticipantActive, (p) => this.#arrived(p))
      .on(RoomEvent.ParticipantDisconnected, (p) => this.#departed(p))
      .on(RoomEvent.ParticipantAttributesChanged, (_, p) => this.#described(p))
      .on(RoomEvent.DataReceived, (payload, p, _, topic) => this.#received(payload, p, topic))
      .on(RoomEvent.ActiveSpeakersChanged, () => this.#speaking())
      .on(RoomEvent.TrackSubscribed, (track) => {
        if (track.kind === Track.Kind.Audio) this.#audio.append(track.attach());
      })
      .on(RoomEvent.TrackUnsubscribed, (track) => track.detach().forEach((el) => el.remove()))
      .on(RoomEvent.AudioPlaybackStatusChanged, () => this.#on.playback(this.#room.canPlaybackAudio))
      .on(RoomEvent.MediaDevicesError, (error) => this.#on.microphone(error))
      .on(RoomEvent.SignalReconnecting, () => this.#on.connection('reconnecting'))
      .on(RoomEvent.Reconnecting, () => this.#on.connection('reconnecting'))
      .on(RoomEvent.Reconnected, () => this.#restored())
      .on(RoomEvent.Disconnected, (reason) => this.#end(this.#reasonOf(reason)));
    this.#room.registerTextStreamHandler(TRANSCRIPTION, (reader, { identity }) => this.#read(reader, identity));
    this.#room.registerTextStreamHandler(REPORT, (reader, { identity }) => this.#readReport(reader, identity));
  }

  #isAgent(participant) {
    return participant.isAgent && !participant.attributes[ON_BEHALF];
  }

  #arrived(participant) {
    if (this.#over || !this.#isAgent(participant) || this.#agent === participant) return;
    this.#agent = participant;
    this.#met = true;
    clearTimeout(this.#late);
    this.#on.agent('here');
    this.#talking.told = false; // it knows nothing yet
    this.talk(this.#talking.wanted);
    this.#tellCodeAgain();
    this.#described(participant);
  }

  #departed(participant) {
    if (this.#over || participant !== this.#agent) return;
    this.#agent = null;
    this.#on.agent('left');
  }

  #described(participant) {
    if (this.#over) return;
    if (this.#agent !== participant) this.#arrived(participant);
    else {
      this.#on.cast(castOf(participant.attributes));
      this.#on.interview(interviewOf(participant.attributes));
    }
  }

  #received(payload, participant, topic) {
    if (this.#over || !participant || !this.#isAgent(participant)) return;
    const [read, tell] = {
      [PROBLEM]: [taskOf, this.#on.task], [PERSONAS]: [personasOf, this.#on.personas], [MATERIAL]: [receiptOf, this.#on.receipt],
      [NOTICE]: [noticeOf, this.#on.notice],
    }[topic] ?? [];
    const told = read?.(payload);
    if (told) tell(told);
  }

  #speaking() {
    if (this.#over) return;
    this.#on.speaking({
      agent: this.#agent?.isSpeaking ?? false,
      you: this.#room.localParticipant.isSpeaking,
    });
  }

  #expectAgent() {
    this.#late = setTimeout(() => {
      if (!this.#over && !this.#agent) this.#on.agent('late');
    }, AGENT_LIMIT);
  }

  async #read(reader, identity) {
    if (this.#over) return;
    const who = identity === this.#room.localParticipant.identity ? 'you' : 'agent';
    const stream = this.#on.stream(reader.info, who);
    if (who === 'agent') this.#typed = this.#typed.filter(({ to }) => to !== identity); // it was taken, or is not to be
    try {
      for await (const chunk of reader) stream.add(chunk);
    } catch { /* the sender went away in the middle: what came stays */ }
    stream.close(reader.info.attributes);
    if (who === 'agent' && identity === this.#agent?.identity) await this.#sayAgain(identity);
  }

  // #readReport takes the report, from the interviewer only.
  async #readReport(reader, identity) {
    let text = '';
    try {
      for await (const chunk of reader) {
        text += chunk;
        if (text.length > REPORT_LIMIT) return;
      }
    } catch {
      return; // it broke off: #restored asks for it again
    }
    const sender = this.#room.remoteParticipants.get(identity);
    const report = reportOf(text);
    if (!this.#over && report && sender && this.#isAgent(sender)) this.#on.report(report);
  }

  // askReport asks for a report that may have been missed; where there is none, nothing comes.
  askReport() {
    if (this.#over || !this.#agent) return;
    this.#room.localParticipant.publishData(new Uint8Array(), {
      reliable: true, topic: REPORT, destinationIdentities: [this.#agent.identity],
    }).catch(() => {}); // not connected: the interviewer sends it to those who come back
  }

  #reasonOf(reason) {
    const { DisconnectReason } = this.#lk;
    if (this.#leaving) return 'left';
    switch (reason) {
      case DisconnectReason.DUPLICATE_IDENTITY:
        return 'elsewhere';
      case DisconnectReason.ROOM_DELETED:
      case DisconnectReason.ROOM_CLOSED:
      case DisconnectReason.PARTICIPANT_REMOVED:
        return 'closed';
      default:
        return 'lost';
    }
  }

  #end(reason) {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#late);
    this.#audio.replaceChildren();
    if (reason !== 'failed') this.#on.ended(reason);
  }
}
