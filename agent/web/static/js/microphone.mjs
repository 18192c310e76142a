// The microphone before the interview: permission, choice of device, level. The interview itself opens its own track.

import { t } from './words.mjs';

// problemOf explains an error of getUserMedia: { title, text }.
export function problemOf(error) {
  switch (error?.name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return {
        title: t('The browser does not let this page use the microphone.'),
        text: t('To allow it, open the site settings beside the address (the lock or microphone icon), set Microphone to Allow, '
          + 'and try again. If there is no such setting, the system may have blocked the browser.'),
      };
    case 'NotFoundError':
    case 'OverconstrainedError':
      return { title: t('No microphone was found.'), text: t('Connect one, or switch it on, and try again.') };
    case 'NotReadableError':
      return {
        title: t('The microphone is in use or not working.'),
        text: t('Close other programs that use it, or choose another device, and try again.'),
      };
    case 'unsupported':
      return {
        title: t('This page cannot use a microphone here.'),
        text: t('Browsers allow it only on https or on this machine (http://127.0.0.1 or http://localhost).'),
      };
    default:
      return { title: t('The microphone could not be opened.'), text: error?.message || t('The browser gave no reason.') };
  }
}

export class Microphone {
  #stream = null;
  #meter = null;
  #onLevel;

  // onLevel(0…1) is called about 20 times a second while open.
  constructor(onLevel) {
    this.#onLevel = onLevel;
  }

  get isOpen() {
    return this.#stream !== null;
  }

  // open asks for the device (default: the system's choice) and measures it. Rejects with getUserMedia's error.
  async open(deviceId) {
    this.close();
    if (!navigator.mediaDevices?.getUserMedia) throw new DOMException('no mediaDevices', 'unsupported');
    const audio = deviceId ? { deviceId: { exact: deviceId } } : true;
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio });
    this.#meter = new Meter(this.#stream, this.#onLevel);
  }

  close() {
    this.#meter?.close();
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = this.#meter = null;
    this.#onLevel(0);
  }

  // devices lists microphones: [{ id, label, active }]. Labels need permission.
  async devices() {
    const active = this.#stream?.getAudioTracks()[0]?.getSettings().deviceId;
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter((d) => d.kind === 'audioinput').map((d, i) => ({
      id: d.deviceId, label: d.label || t('Microphone {number}', { number: i + 1 }), active: d.deviceId === active,
    }));
  }
}

// isGranted tells whether the microphone may be opened without asking.
export async function isGranted() {
  try {
    return (await navigator.permissions.query({ name: 'microphone' })).state === 'granted';
  } catch {
    return false; // the browser does not tell
  }
}

class Meter {
  #context;
  #analyser;
  #samples;
  #timer;
  #onLevel;

  constructor(stream, onLevel) {
    this.#onLevel = onLevel;
    this.#context = new AudioContext();
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 1024;
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
    this.#timer = setInterval(() => this.#measure(), 50);
  }

  close() {
    clearInterval(this.#timer);
    this.#context.close();
  }

  #measure() {
    if (this.#context.state === 'suspended') this.#context.resume().catch(() => {}); // allowed after the first click
    this.#analyser.getFloatTimeDomainData(this.#samples);
    this.#onLevel(levelOf(this.#samples));
  }
}

// levelOf maps the loudness of samples (−1…1) from −60…0 dBFS to 0…1.
export function levelOf(samples) {
  let sum = 0;
  for (const s of samples) sum += s * s;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.min(1, Math.max(0, (decibels + 60) / 60));
}
